import { join, resolve } from 'node:path'
import { configRoots, loadExtensions, setTrust, trustedProjects } from '@curfew/extensions'
import { loadServers, type ServerConfig, showReference } from '@curfew/mcp/config'
import { type Command, UsageError } from '../command.ts'
import { parseCommandLine } from '../parse-options.ts'
import { problemLine } from '../report-problems.ts'
import { oneLine } from '../terminal.ts'
import { write } from '../write.ts'

export const command: Command = {
  async run(args) {
    const { values, positionals } = parseCommandLine(
      'trust',
      args,
      { remove: { type: 'boolean' }, list: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
      1,
    )
    if (values.help) {
      write(help)
      return 0
    }
    const [folder] = positionals
    if (folder !== undefined && !values.remove)
      throw new UsageError('curfew trust: go to the project first; a folder can be named with --remove only')
    if (values.list && values.remove)
      throw new UsageError('curfew trust: --list and --remove exclude each other')
    const { user, project } = configRoots()
    if (values.list) listTrusted(trustedProjects(user))
    else if (values.remove) await removeTrust(user, folder === undefined ? project?.path : resolve(folder))
    else await trust(user, project?.path)
    return 0
  },
}

function listTrusted(paths: readonly string[]): void {
  write(paths.length === 0 ? 'no project is trusted\n' : paths.map((path) => `${oneLine(path)}\n`).join(''))
}

async function removeTrust(user: string, path: string | undefined): Promise<void> {
  if (path === undefined) throw nothingHere()
  const known = [path, join(path, '.curfew')].find((candidate) => trustedProjects(user).includes(candidate))
  if (known === undefined) throw new UsageError(`curfew trust: ${path} was not trusted`)
  await setTrust(user, known, false)
  write(`${oneLine(known)} is not trusted any more\n`)
}

/** What may run from now on. */
async function trust(user: string, path: string | undefined): Promise<void> {
  if (path === undefined) throw nothingHere()
  const changed = await setTrust(user, path, true)
  const { tools, problems: toolProblems } = await loadExtensions()
  const { servers, problems: serverProblems } = await loadServers(configRoots())
  write(`${oneLine(path)} is trusted${changed ? ' now' : ' already'}\n`)
  for (const { tool, file, alwaysAllow } of tools) {
    if (file.startsWith(path)) write(`  ${tool.name}${alwaysAllow ? ' (runs without a question)' : ''}\n`)
  }
  for (const { name, target, file } of servers) {
    if (file.startsWith(path)) write(`  the MCP server ${name}: ${oneLine(showServer(target))}\n`)
  }
  for (const problem of [...toolProblems, ...serverProblems])
    if (problem.file.startsWith(path)) write(`  ${problemLine(problem)}\n`)
}

function showServer(target: ServerConfig['target']): string {
  return target.kind === 'stdio' ? [target.command, ...target.args.map(showReference)].join(' ') : target.url
}

function nothingHere(): UsageError {
  return new UsageError('curfew trust: there is no .curfew in this directory or above it; nothing to trust')
}

const help = `Usage: curfew trust [--list | --remove [FOLDER]]

Use the .curfew of the project that you are in. Its files can run commands, so
they are ignored until you say this; look at them first. What is trusted is the
folder: what is changed in it later, or linked into it, is trusted too.
CURFEW_TRUST=1 trusts for one run.

  --list             show what is trusted
  --remove [FOLDER]  ignore this project's .curfew again, or that of FOLDER
  -h, --help         show this
`
