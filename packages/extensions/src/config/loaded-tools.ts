import type { Tool } from '@curfew/core'
import { messageOf } from '@curfew/core/internal'
import { type ConfigProblem, configError, formatProblem } from './config-problem.ts'

/** A tool from a file. */
export interface LoadedTool {
  readonly tool: Tool
  readonly file: string
  /** The file says that it may run without a question. */
  readonly alwaysAllow: boolean
}

/** A tool that its file describes wrongly. */
export interface MissingTool {
  /** What it would be called. */
  readonly name: string
  /** The file and what is wrong with it. */
  readonly why: string
}

export interface LoadedTools {
  readonly tools: readonly LoadedTool[]
  readonly problems: readonly ConfigProblem[]
  /** What the file itself calls its tool. */
  readonly named?: string | undefined
}

export interface LoadedFolder extends LoadedTools {
  readonly missing: readonly MissingTool[]
}

/** Loads all of them at once; whatever is wrong with one file harms no other. */
export async function loadEach(
  files: readonly string[],
  load: (file: string) => Promise<LoadedTools>,
  nameOf: (file: string, named: string | undefined) => string,
): Promise<LoadedFolder> {
  const loaded = await Promise.all(
    files.map(async (file) => {
      const { tools, problems, named } = await load(file).catch((error) => unusable(file, error))
      const problem = tools.length > 0 ? undefined : problems.find(({ severity }) => severity === 'error')
      const missing =
        problem === undefined ? [] : [{ name: nameOf(file, named), why: formatProblem(problem) }]
      return { tools, problems, missing }
    }),
  )
  return {
    tools: loaded.flatMap(({ tools }) => tools),
    problems: loaded.flatMap(({ problems }) => problems),
    missing: loaded.flatMap(({ missing }) => missing),
  }
}

/** Also of a file in which something else is wrong. */
export function nameIn(value: unknown): string | undefined {
  const { name } = Object(value) as { readonly name?: unknown }
  return typeof name === 'string' && name !== '' ? name : undefined
}

/** A folder that is not there has no tools, and that is no problem. */
export function unreadableFolder(folder: string, error: unknown): LoadedFolder {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' || code === 'ENOTDIR') return { tools: [], problems: [], missing: [] }
  const problem = configError(folder, null, `cannot be read: ${messageOf(error)}`)
  return { ...onlyProblem(problem), missing: [] }
}

export function onlyProblem(problem: ConfigProblem, others: readonly ConfigProblem[] = []): LoadedTools {
  return { tools: [], problems: [...others, problem] }
}

export function unusable(file: string, error: unknown): LoadedTools {
  return onlyProblem(configError(file, null, `cannot be used: ${messageOf(error)}`))
}
