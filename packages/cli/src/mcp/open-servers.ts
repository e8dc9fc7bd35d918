import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { didYouMean } from '@curfew/core/internal'
import { type ConfigProblem, type ConfigRoots, configRoots } from '@curfew/extensions'
import { openUpstreams, type Upstream, type UpstreamsOptions, unattendedBridge } from '@curfew/mcp'
import {
  type LoadedServers,
  loadServers,
  mcpFileName,
  missingVariables,
  type ServerConfig,
} from '@curfew/mcp/config'
import { UsageError } from '../command.ts'
import { problemLine } from '../report-problems.ts'

export interface OpenServers extends LoadedServers {
  readonly upstreams: readonly Upstream[]
}

export interface ServerSources {
  readonly roots?: ConfigRoots | undefined
  /** Servers besides those of `mcp.json`. */
  readonly added?: readonly ServerConfig[] | undefined
  /** Where servers are started. @default the working directory of this process */
  readonly cwd?: string | undefined
}

function startIn(server: ServerConfig, cwd: string | undefined): ServerConfig {
  const { target } = server
  if (target.kind !== 'stdio' || target.cwd !== undefined) return server
  return { ...server, target: { ...target, cwd } }
}

/** The folder for the servers' cached state. */
export function stateFolder({ user }: ConfigRoots): string {
  return join(user, 'mcp')
}

/** Opens the servers in `mcp.json`, or only one of them. Does not start them. */
export async function openServers(
  command: string,
  only?: string,
  { roots = configRoots(), added = [], cwd }: ServerSources = {},
  options: Partial<UpstreamsOptions> = {},
): Promise<OpenServers> {
  const loaded = await loadServers(roots)
  const all = [...loaded.servers, ...added].map((server) => startIn(server, cwd))
  const servers = only === undefined ? all : all.filter(({ name }) => name === only)
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

/** That the project's servers are ignored. */
export function untrusted({ project }: ConfigRoots): readonly ConfigProblem[] {
  if (project === null || project.trusted) return []
  const file = join(project.path, mcpFileName)
  const message = 'is ignored because it can run commands; review it, then run: curfew trust'
  return existsSync(file) ? [{ severity: 'warning', file, field: null, message }] : []
}

/** Why there is no server with this name, or why it cannot be used. */
export function noSuchServer(
  command: string,
  name: string,
  { servers, unused, problems }: LoadedServers,
): UsageError {
  const usageError = (message: string): UsageError => new UsageError(`curfew ${command}: ${message}`)
  const off = unused.find((server) => server.name === name)
  if (off?.needs.length === 0) return usageError(`${name} is disabled in ${off.file}`)
  const serverProblems = problemsOf(name, [...problems, ...missingVariables(unused)])
  if (serverProblems.length > 0) {
    const messages = serverProblems.map(({ field, message }) => `${field}: ${message}`)
    return usageError(`${serverProblems[0]!.file}: ${messages.join('; ')}`)
  }
  const names = [...servers, ...unused].map((server) => server.name)
  const hint =
    didYouMean(name, names) ||
    (names.length === 0 ? noServers(problems) : `known servers: ${names.join(', ')}`)
  // It may be in a file that could not be parsed.
  const files = problems.filter(({ field }) => field === null).map(problemLine)
  return usageError([`unknown server ${JSON.stringify(name)}; ${hint}`, ...files].join('\n'))
}

/** The message for an empty list of servers. */
export function noServers(problems: readonly ConfigProblem[]): string {
  return problems.length > 0
    ? 'no MCP server is usable'
    : "no MCP servers yet; add one with curfew mcp add, or import an agent's servers with curfew mcp import"
}

function problemsOf(server: string, problems: readonly ConfigProblem[]): readonly ConfigProblem[] {
  const at = `mcpServers.${server}`
  return problems.filter(({ field }) => field === at || field?.startsWith(`${at}.`))
}
