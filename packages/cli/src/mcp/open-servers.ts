import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { didYouMean } from '@curfew/core/internal'
import { type ConfigProblem, type ConfigRoots, configRoots } from '@curfew/extensions'
import { openUpstreams, type Upstream, type UpstreamsOptions, unattendedBridge } from '@curfew/mcp'
import { type LoadedServers, loadServers, mcpFileName } from '@curfew/mcp/config'
import { UsageError } from '../command.ts'
import { problemLine } from '../report-problems.ts'

export interface OpenServers extends LoadedServers {
  readonly upstreams: readonly Upstream[]
}

/** Where what was seen of the servers is kept. */
export function stateFolder({ user }: ConfigRoots): string {
  return join(user, 'mcp')
}

/** The servers of `mcp.json`, or only the one that is named. None is started yet. */
export async function openServers(
  command: string,
  only?: string,
  options: Partial<UpstreamsOptions> = {},
): Promise<OpenServers> {
  const roots = configRoots()
  const loaded = await loadServers(roots)
  const servers = only === undefined ? loaded.servers : loaded.servers.filter(({ name }) => name === only)
  if (only !== undefined && servers.length === 0)
    throw noSuchServer(command, only, { ...loaded, problems: [...loaded.problems, ...untrusted(roots)] })
  const upstreams = await openUpstreams(servers, {
    stateFolder: stateFolder(roots),
    log: () => {},
    bridgeFor: () => unattendedBridge,
    ...options,
  })
  const problems =
    only === undefined
      ? [...roots.problems, ...loaded.problems, ...untrusted(roots)]
      : problemsOf(only, loaded.problems)
  return { ...loaded, servers, problems, upstreams }
}

function untrusted({ project }: ConfigRoots): readonly ConfigProblem[] {
  if (project === null || project.trusted) return []
  const file = join(project.path, mcpFileName)
  const message = 'is ignored: it can run commands. Look at it, then run: curfew trust'
  return existsSync(file) ? [{ severity: 'warning', file, field: null, message }] : []
}

function noSuchServer(
  command: string,
  name: string,
  { servers, disabled, problems }: LoadedServers,
): UsageError {
  const say = (why: string): UsageError => new UsageError(`curfew ${command}: ${why}`)
  const off = disabled.find((server) => server.name === name)
  if (off !== undefined) return say(`${name} is disabled in ${off.file}`)
  const wrong = problemsOf(name, problems)
  if (wrong.length > 0) {
    const what = wrong.map(({ field, message }) => `${field}: ${message}`)
    return say(`${wrong[0]!.file}: ${what.join('; ')}`)
  }
  const names = servers.map((server) => server.name)
  const hint =
    didYouMean(name, names) || (names.length === 0 ? noServers(problems) : `there are ${names.join(', ')}`)
  // It may stand in a file that could not be used at all.
  const files = problems.filter(({ field }) => field === null).map(problemLine)
  return say([`there is no server ${JSON.stringify(name)}; ${hint}`, ...files].join('\n'))
}

/** That there is none: since nobody has added one, or since none can be used. */
export function noServers(problems: readonly ConfigProblem[]): string {
  return problems.length > 0
    ? 'no MCP server can be used as things are'
    : 'there are no MCP servers yet; add one: curfew mcp add, or take over those of an agent: curfew mcp import'
}

function problemsOf(server: string, problems: readonly ConfigProblem[]): readonly ConfigProblem[] {
  const at = `mcpServers.${server}`
  return problems.filter(({ field }) => field === at || field?.startsWith(`${at}.`))
}
