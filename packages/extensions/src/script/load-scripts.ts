import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { configError } from '../config/config-problem.ts'
import {
  defineFrom,
  type LoadedFolder,
  type LoadedTools,
  loadContent,
  loadEach,
  loadFile,
  onlyProblem,
  unreadableFolder,
} from '../config/loaded-tools.ts'
import { findProgram } from './find-program.ts'
import { checkScriptFile } from './script-file.ts'
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
  return await loadFile(file, 'is missing; create one with: curfew new script', async (value) => {
    const program = await findProgram(dirname(file))
    if (!('problem' in program)) return describeScript(value, file, program.argv, cwd)
    return onlyProblem(configError(program.file, null, program.problem), describeScript(value, file).problems)
  })
}

/** Creates a tool from the content of a file. Without its program, it is for inspection and cannot run. */
export function describeScript(
  value: unknown,
  file: string,
  argv: readonly [string, ...string[]] = [file],
  cwd?: string,
): LoadedTools {
  return loadContent(value, (content) => {
    const { document, problems } = checkScriptFile(content, file)
    if (document === null) return { tools: [], problems }
    return defineFrom(file, problems, () => {
      const tool = scriptTool(document.name ?? basename(dirname(file)), document, argv, cwd)
      const { always_allow: alwaysAllow, readOnly: claimsReadOnly = false } = document
      return { tool, alwaysAllow, claimsReadOnly }
    })
  })
}
