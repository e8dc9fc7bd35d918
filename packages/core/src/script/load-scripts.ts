import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type ConfigProblem, configError, problemOfTool } from '../config/config-problem.ts'
import { readJsonFile } from '../config/read-json-file.ts'
import { CurfewError } from '../errors/curfew-error.ts'
import { messageOf } from '../errors/message-of.ts'
import type { Tool } from '../tool/tool.ts'
import { findProgram } from './find-program.ts'
import { checkScriptFile } from './script-file.ts'
import { scriptTool } from './script-tool.ts'

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

/** Every folder below `extensions/scripts` that has a `tool.json`. One that is broken harms no other. */
export async function loadScripts(root: string): Promise<LoadedTools> {
  const folder = join(root, 'extensions', 'scripts')
  let names: string[]
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    names = entries
      .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && !/^[._]/.test(entry.name))
      .map(({ name }) => name)
  } catch (error) {
    const missing = ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')
    return {
      tools: [],
      problems: missing ? [] : [configError(folder, null, `cannot be read: ${messageOf(error)}`)],
    }
  }
  const loaded = await Promise.all(names.sort().map((name) => loadSafely(join(folder, name), name)))
  return {
    tools: loaded.flatMap(({ tools }) => tools),
    problems: loaded.flatMap(({ problems }) => problems),
  }
}

/** Whatever is wrong with a file harms no other. */
async function loadSafely(folder: string, folderName: string): Promise<LoadedTools> {
  try {
    return await loadScript(folder, folderName)
  } catch (error) {
    const what = error instanceof RangeError ? 'is nested too deeply' : `cannot be used: ${messageOf(error)}`
    return only(configError(join(folder, 'tool.json'), null, what))
  }
}

async function loadScript(folder: string, folderName: string): Promise<LoadedTools> {
  const file = join(folder, 'tool.json')
  const read = await readJsonFile(file)
  if (read.kind === 'missing')
    return only(configError(file, null, 'is missing; curfew new script writes one'))
  if (read.kind === 'problem') return only(read.problem)
  const { document, problems } = checkScriptFile(read.value, file)
  if (document === null) return { tools: [], problems }
  const program = await findProgram(folder)
  if ('problem' in program) return only(configError(program.file, null, program.problem), problems)
  try {
    const tool = scriptTool(document.name ?? folderName, document, program.argv)
    return { tools: [{ tool, file, alwaysAllow: document.always_allow }], problems }
  } catch (error) {
    if (!(error instanceof CurfewError)) throw error
    return only(problemOfTool(file, error), problems)
  }
}

function only(problem: ConfigProblem, others: readonly ConfigProblem[] = []): LoadedTools {
  return { tools: [], problems: [...others, problem] }
}
