import { join, resolve } from 'node:path'
import { configRoots, loadExtensions, setTrust, trustedProjects } from '@curfew/extensions'
import { loadServers, type ServerConfig, showReference } from '@curfew/mcp/config'
import { UsageError } from '../command.ts'
import { problemLine } from '../report-problems.ts'
import { oneLine } from '../terminal.ts'
import { write } from '../write.ts'

interface TrustInput {
  readonly folder: string | undefined
  readonly list: boolean
  readonly remove: boolean
}

/** `curfew trust`. Returns the exit code. */
export async function runTrust({ folder, list, remove }: TrustInput): Promise<number> {
  if (folder !== undefined && !remove)
    throw new UsageError(
      'curfew trust: FOLDER requires --remove; to trust a project, run curfew trust inside it',
    )
  const { user, project } = configRoots()
  if (list) listTrusted(trustedProjects(user))
  else if (remove) await removeTrust(user, folder === undefined ? project?.path : resolve(folder))
  else await trust(user, project?.path)
  return 0
}

function listTrusted(paths: readonly string[]): void {
  write(paths.length === 0 ? 'no project is trusted\n' : paths.map((path) => `${oneLine(path)}\n`).join(''))
}

async function removeTrust(user: string, path: string | undefined): Promise<void> {
  if (path === undefined) throw noProject()
  const known = [path, join(path, '.curfew')].find((candidate) => trustedProjects(user).includes(candidate))
  if (known === undefined) throw new UsageError(`curfew trust: ${path} is not trusted`)
  await setTrust(user, known, false)
  write(`${oneLine(known)} is no longer trusted\n`)
}

/** Trusts the folder and lists its tools and servers. */
async function trust(user: string, path: string | undefined): Promise<void> {
  if (path === undefined) throw noProject()
  const changed = await setTrust(user, path, true)
  const { tools, problems: toolProblems } = await loadExtensions()
  const { servers, problems: serverProblems } = await loadServers(configRoots())
  write(`${oneLine(path)} is ${changed ? 'now' : 'already'} trusted\n`)
  for (const { tool, file, alwaysAllow } of tools) {
    if (file.startsWith(path))
      write(`  ${tool.name}${alwaysAllow || tool.readOnly ? ' (runs without approval)' : ''}\n`)
  }
  for (const { name, target, file } of servers) {
    if (file.startsWith(path)) write(`  MCP server ${name}: ${oneLine(showServer(target))}\n`)
  }
  for (const problem of [...toolProblems, ...serverProblems])
    if (problem.file.startsWith(path)) write(`  ${problemLine(problem)}\n`)
}

function showServer(target: ServerConfig['target']): string {
  return target.kind === 'stdio' ? [target.command, ...target.args.map(showReference)].join(' ') : target.url
}

function noProject(): UsageError {
  return new UsageError('curfew trust: found no .curfew in this directory or above it')
}
