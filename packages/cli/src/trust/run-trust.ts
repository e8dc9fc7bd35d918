import { join, resolve } from 'node:path'
import { configRoots, loadExtensions, setTrust, trustedProjects } from '@curfew/extensions'
import { approveContent, forgetApprovedContent, readLayerFile } from '@curfew/extensions/internal'
import { mergeServerFiles, readServerFiles, type ServerConfig, showReference } from '@curfew/mcp/config'
import { UsageError } from '../command.ts'
import { definitionsIn } from '../mcp/project-definitions.ts'
import { problemLine } from '../report-problems.ts'
import { foldTo, oneLine, terminalWidth } from '../terminal.ts'
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
  await forgetApprovedContent(user, known)
  write(`${oneLine(known)} is no longer trusted\n`)
}

/** Trusts the folder and lists its tools and servers. */
async function trust(user: string, path: string | undefined): Promise<void> {
  if (path === undefined) throw noProject()
  const roots = { ...configRoots(), project: { path, trusted: true } }
  // Read once, so that exactly what is approved is listed.
  const [files, { layer, hash: config }] = await Promise.all([
    readServerFiles(roots),
    readLayerFile(path, 'project'),
  ])
  const hashes = new Map(definitionsIn(files).map(({ name, hash }) => [name, hash]))
  // First, because gateways that run use what is approved as soon as the project is trusted.
  await approveContent(user, path, { servers: hashes, config })
  const changed = await setTrust(user, path, true)
  const { tools, problems: toolProblems } = await loadExtensions()
  const { servers, problems: serverProblems } = mergeServerFiles(files)
  const done = changed
    ? `${oneLine(path)} is now trusted`
    : `${oneLine(path)} is already trusted; its servers and rules are approved as they are now`
  write(`${foldTo(terminalWidth(process.stdout), done)}\n`)
  for (const { tool, file, alwaysAllow } of tools) {
    if (file.startsWith(path))
      write(`  ${tool.name}${alwaysAllow || tool.readOnly ? ' (runs without approval)' : ''}\n`)
  }
  for (const { name, target, file } of servers) {
    if (file.startsWith(path)) write(`  MCP server ${name}: ${oneLine(showServer(target))}\n`)
  }
  for (const rule of (layer.values.get('approval.rules.allow')?.value ?? []) as readonly string[])
    write(`  rule: allow ${oneLine(rule)}\n`)
  for (const problem of [...toolProblems, ...serverProblems])
    if (problem.file.startsWith(path)) write(`  ${problemLine(problem)}\n`)
}

function showServer(target: ServerConfig['target']): string {
  return target.kind === 'stdio' ? [target.command, ...target.args.map(showReference)].join(' ') : target.url
}

function noProject(): UsageError {
  return new UsageError('curfew trust: found no .curfew in this directory or above it')
}
