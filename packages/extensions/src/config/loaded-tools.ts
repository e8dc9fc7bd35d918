import type { Tool } from '@curfew/core'
import { messageOf } from '@curfew/core/internal'
import { type ConfigProblem, configError, formatProblem } from './config-problem.ts'

export interface LoadedTool {
  readonly tool: Tool
  readonly file: string
  /** The file sets `always_allow`. */
  readonly alwaysAllow: boolean
  /** The file sets `readOnly`, and nothing else shows that the tool changes nothing. */
  readonly claimsReadOnly: boolean
}

/** A tool that could not be loaded. */
export interface MissingTool {
  readonly name: string
  /** The formatted problem of its file. */
  readonly reason: string
}

export interface LoadedTools {
  readonly tools: readonly LoadedTool[]
  readonly problems: readonly ConfigProblem[]
  /** The name in the file, also if the file is invalid. */
  readonly declaredName?: string | undefined
}

export interface LoadedFolder extends LoadedTools {
  readonly missing: readonly MissingTool[]
}

/** Loads files in parallel. A problem in one does not affect the others. */
export async function loadEach(
  files: readonly string[],
  load: (file: string) => Promise<LoadedTools>,
  nameOf: (file: string, declaredName: string | undefined) => string,
): Promise<LoadedFolder> {
  const loaded = await Promise.all(
    files.map(async (file) => {
      const { tools, problems, declaredName } = await load(file).catch((error) => unusable(file, error))
      const problem = tools.length > 0 ? undefined : problems.find(({ severity }) => severity === 'error')
      const missing =
        problem === undefined ? [] : [{ name: nameOf(file, declaredName), reason: formatProblem(problem) }]
      return { tools, problems, missing }
    }),
  )
  return {
    tools: loaded.flatMap(({ tools }) => tools),
    problems: loaded.flatMap(({ problems }) => problems),
    missing: loaded.flatMap(({ missing }) => missing),
  }
}

/** The `name` in the content of a file that may be invalid. */
export function declaredNameIn(value: unknown): string | undefined {
  const { name } = Object(value) as { readonly name?: unknown }
  return typeof name === 'string' && name !== '' ? name : undefined
}

/** A missing folder is not a problem. */
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
