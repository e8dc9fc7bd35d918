import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { CurfewError } from '@curfew/core'
import { type ConfigProblem, configError, definitionProblem } from '../config/config-problem.ts'
import {
  declaredNameIn,
  type LoadedFolder,
  type LoadedTools,
  loadEach,
  onlyProblem,
  unreadableFolder,
} from '../config/loaded-tools.ts'
import { readJsonFile } from '../config/read-json-file.ts'
import { findProgram } from './find-program.ts'
import { checkScriptFile, type ScriptFile } from './script-file.ts'
import { scriptTool, scriptToolName } from './script-tool.ts'

/** Loads every folder in `extensions/scripts`. An invalid `tool.json` does not affect the others. */
export async function loadScripts(root: string, cwd?: string): Promise<LoadedFolder> {
  const folder = join(root, 'extensions', 'scripts')
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    const names = entries
      .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && !/^[._]/.test(entry.name))
      .map(({ name }) => name)
    return await loadEach(
      names.sort().map((name) => join(folder, name, 'tool.json')),
      (file) => loadScript(file, cwd),
      (file, declaredName) => scriptToolName(declaredName ?? basename(dirname(file))),
    )
  } catch (error) {
    return unreadableFolder(folder, error)
  }
}

async function loadScript(file: string, cwd: string | undefined): Promise<LoadedTools> {
  const read = await readJsonFile(file)
  if (read.kind === 'missing')
    return onlyProblem(configError(file, null, 'is missing; create one with: curfew new script'))
  if (read.kind === 'problem') return onlyProblem(read.problem)
  const { tools, problems } = await fromValue(read.value, file, cwd)
  return { declaredName: declaredNameIn(read.value), tools, problems: [...read.problems, ...problems] }
}

async function fromValue(value: unknown, file: string, cwd: string | undefined): Promise<LoadedTools> {
  const { document, problems } = checkScriptFile(value, file)
  if (document === null) return { tools: [], problems }
  const program = await findProgram(dirname(file))
  if ('problem' in program) return onlyProblem(configError(program.file, null, program.problem), problems)
  return defineScript(document, file, { argv: program.argv, cwd }, problems)
}

/** Creates a tool from the content of a file, whether or not its program exists. It is for inspection and cannot run. */
export function describeScript(value: unknown, file: string): LoadedTools {
  const { document, problems } = checkScriptFile(value, file)
  return document === null
    ? { tools: [], problems }
    : defineScript(document, file, { argv: [file], cwd: undefined }, problems)
}

function defineScript(
  document: ScriptFile,
  file: string,
  { argv, cwd }: { readonly argv: readonly [string, ...string[]]; readonly cwd: string | undefined },
  problems: readonly ConfigProblem[],
): LoadedTools {
  try {
    const tool = scriptTool(document.name ?? basename(dirname(file)), document, argv, cwd)
    const { always_allow: alwaysAllow, readOnly: claimsReadOnly = false } = document
    return { tools: [{ tool, file, alwaysAllow, claimsReadOnly }], problems }
  } catch (error) {
    if (!(error instanceof CurfewError)) throw error
    return onlyProblem(definitionProblem(file, error), problems)
  }
}
