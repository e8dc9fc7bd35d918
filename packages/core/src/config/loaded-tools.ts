import { messageOf } from '../errors/message-of.ts'
import type { Tool } from '../tool/tool.ts'
import { type ConfigProblem, configError } from './config-problem.ts'

/** A tool from a file. */
export interface LoadedTool {
  readonly tool: Tool
  readonly file: string
  /** The file says that it may run without a question. */
  readonly alwaysAllow: boolean
}

export interface LoadedTools {
  readonly tools: readonly LoadedTool[]
  readonly problems: readonly ConfigProblem[]
}

/** Loads all of them at once; whatever is wrong with one file harms no other. */
export async function loadEach(
  files: readonly string[],
  load: (file: string) => Promise<LoadedTools>,
): Promise<LoadedTools> {
  const loaded = await Promise.all(files.map((file) => load(file).catch((error) => unusable(file, error))))
  return {
    tools: loaded.flatMap(({ tools }) => tools),
    problems: loaded.flatMap(({ problems }) => problems),
  }
}

/** A folder that is not there has no tools, and that is no problem. */
export function unreadableFolder(folder: string, error: unknown): LoadedTools {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' || code === 'ENOTDIR') return { tools: [], problems: [] }
  return onlyProblem(configError(folder, null, `cannot be read: ${messageOf(error)}`))
}

export function onlyProblem(problem: ConfigProblem, others: readonly ConfigProblem[] = []): LoadedTools {
  return { tools: [], problems: [...others, problem] }
}

export function unusable(file: string, error: unknown): LoadedTools {
  return onlyProblem(configError(file, null, `cannot be used: ${messageOf(error)}`))
}
