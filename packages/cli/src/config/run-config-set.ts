import { join } from 'node:path'
import { CurfewError } from '@curfew/core'
import { configRoots, loadConfig } from '@curfew/extensions'
import {
  type Assignment,
  findSetting,
  readAssignment,
  setConfig,
  unsetConfig,
} from '@curfew/extensions/internal'
import { UsageError } from '../command.ts'
import { rejectSymlink } from '../reject-symlink.ts'
import { advise } from '../runner-command.ts'
import { shortPath } from '../short-path.ts'
import { type StarterRoot, starterRoot } from '../starter-root.ts'
import { oneLine } from '../terminal.ts'
import { write, writeError } from '../write.ts'
import { formatSetting, showSource } from './show-settings.ts'

interface SetInput {
  readonly assignments: readonly string[]
  readonly project: boolean
  /** Print only warnings. */
  readonly quiet?: boolean
}

interface UnsetInput {
  readonly keys: readonly string[]
  readonly project: boolean
}

/** `curfew config set`. Returns the exit code. */
export async function runConfigSet({ assignments: written, project, quiet }: SetInput): Promise<number> {
  const print = quiet ? writeError : write
  if (written.length === 0)
    throw new UsageError('curfew config set: missing argument KEY=VALUE. See curfew config set --help')
  const assignments = written.map(parseAssignment)
  const root = starterRoot(!project)
  const file = locate('set', root, project)
  const undo = await root.prepare()
  await reportErrors('set', () => setConfig(location(file, project), assignments), undo)
  if (!quiet) for (const { key } of assignments) write(`set ${oneLine(key)} in ${shortPath(file)}\n`)
  for (const { checked } of assignments)
    for (const { field, message } of checked.problems) process.stderr.write(`warning: ${field}: ${message}\n`)
  if (root.usable) await reportOverridden(assignments, file, print)
  else print(`this project is not trusted yet; review its files, then run: ${advise('curfew trust')}\n`)
  return 0
}

/** `curfew config unset`. Returns the exit code. */
export async function runConfigUnset({ keys, project }: UnsetInput): Promise<number> {
  if (keys.length === 0)
    throw new UsageError('curfew config unset: missing argument KEY. See curfew config unset --help')
  const root = starterRoot(!project)
  if (!root.exists)
    throw new UsageError('curfew config unset: found no .curfew in this directory or above it')
  const file = locate('unset', root, project)
  await reportErrors('unset', () => unsetConfig(location(file, project), keys))
  for (const key of keys) write(`removed ${oneLine(key)} from ${shortPath(file)}\n`)
  return 0
}

function parseAssignment(text: string): Assignment {
  const read = readAssignment(text)
  const problem =
    'checked' in read ? read.checked.problems.find(({ severity }) => severity === 'error') : read
  if (problem !== undefined) throw usageError('set', `${problem.field}: ${problem.message}`)
  const { key, setting, value } = read as Assignment
  // A single rule would replace the others, which is easily overlooked.
  if (setting.kind === 'rules' && !/^[^=]*=\s*\[/.test(text))
    throw usageError(
      'set',
      `${key}: expected a JSON array, which replaces the whole list: ${JSON.stringify(value)}`,
    )
  return read as Assignment
}

function locate(subcommand: string, { path }: StarterRoot, project: boolean): string {
  const file = join(path, 'config.json')
  if (project) rejectSymlink(`config ${subcommand}`, file)
  return file
}

function location(file: string, project: boolean) {
  return { file, userRoot: project ? configRoots().user : null }
}

async function reportErrors(
  subcommand: string,
  edit: () => Promise<void>,
  undo: () => Promise<void> = async () => {},
): Promise<void> {
  try {
    await edit()
  } catch (error) {
    await undo()
    if (error instanceof CurfewError) throw usageError(subcommand, error.message)
    throw error
  }
}

/** Reports settings for which another source takes precedence here. */
async function reportOverridden(
  assignments: readonly Assignment[],
  file: string,
  print: (text: string) => unknown,
): Promise<void> {
  const { settings } = await loadConfig()
  for (const { key } of assignments) {
    const effective = settings.find((setting) => setting.key === findSetting(key)!.key)
    if (effective === undefined || effective.kind === 'rules' || effective.file === file) continue
    const { source } = effective
    if (source !== 'default')
      print(
        `here, ${key} is ${formatSetting(effective)}, because ${showSource(effective)} takes precedence\n`,
      )
  }
}

function usageError(subcommand: string, problem: string): UsageError {
  return new UsageError(`curfew config ${subcommand}: ${oneLine(problem)}`)
}
