import { formatDuration, type Runtime, type Tool } from '@curfew/core'
import { messageOf, systemClock } from '@curfew/core/internal'
import { type ConfigProblem, type ConfigRoots, openVault } from '@curfew/extensions'
import { configError, configWarning } from '@curfew/extensions/internal'
import { describeWaiting, startWithKey, type Upstream, type UpstreamTool, upstreamTools } from '@curfew/mcp'
import { secretOptions } from '../secret/open-secrets.ts'
import { closeOnSignal } from './close-on-signal.ts'
import { openServers, type ServerSources, stateFolder } from './open-servers.ts'
import { fetchAllow, signInPrompt } from './sign-in-prompt.ts'
import { signInTokens } from './sign-in-tokens.ts'
import { UnresponsiveServers } from './unresponsive-servers.ts'

export interface ServerTools {
  readonly tools: readonly Tool[]
  /** The file that configures the server, by the name of the tool. */
  readonly files: ReadonlyMap<string, string>
  /** The servers' definitions, by the name of the tool. */
  readonly definitions: ReadonlyMap<string, ServerDefinition>
  readonly problems: readonly ConfigProblem[]
  readonly upstreams: readonly Upstream[]
  /** Stops the servers that were started. */
  close(): Promise<void>
}

export interface ServerDefinition {
  readonly server: string
  readonly definition: UpstreamTool['definition']
}

export interface MoreServers extends Pick<ServerSources, 'added' | 'cwd'> {
  /** Ends the waiting for servers that are starting. */
  readonly signal?: AbortSignal | undefined
}

interface ServerToolsOptions extends MoreServers {
  readonly roots: ConfigRoots
  readonly runtime?: Runtime | undefined
  readonly discoveryLimit?: DiscoveryLimit | undefined
}

/** A limit for starting servers that have never run, if it is shorter than their `startTimeout`. */
export interface DiscoveryLimit {
  readonly ms: number
  /** Do not start a server again that did not respond recently. */
  readonly remember: boolean
}

/**
 * Loads the tools of the servers in `mcp.json`, or of one server. Only servers that were never seen are started. If one lacks a key
 * and there is a runtime, the user is asked for it.
 */
export async function openServerTools(
  command: string,
  only: string | undefined,
  { roots, runtime, discoveryLimit, added, cwd, signal = never }: ServerToolsOptions,
): Promise<ServerTools> {
  const secrets = secretOptions()
  const { upstreams, problems } = await openServers(
    command,
    only,
    { roots, added, cwd },
    {
      vault: openVault(secrets),
      tokens: signInTokens(secrets),
      // Listing tools must not ask anybody to sign in.
      signInPrompt: discoveryLimit?.remember ? undefined : signInPrompt,
      fetchAllow,
      hideSecret: runtime?.hideSecret,
    },
  )
  const startProblems = await closeOnSignal(upstreams, () =>
    discoveryLimit === undefined
      ? Promise.all(upstreams.map((upstream) => startIfUnseen(upstream, signal, runtime)))
      : startWithLimit(upstreams, roots, discoveryLimit, signal, runtime),
  )
  const found = upstreams.flatMap((upstream) => upstreamTools(upstream))
  return {
    tools: found.map(({ tool }) => tool),
    files: new Map(found.map(({ tool, upstream }) => [tool.name, upstream.config.file])),
    definitions: new Map(
      found.map(({ tool, definition, upstream }) => [tool.name, { server: upstream.name, definition }]),
    ),
    problems: [...problems, ...startProblems.flat(), ...upstreams.flatMap(waitingProblem)],
    upstreams,
    async close() {
      await closeOnSignal(upstreams, () => Promise.all(upstreams.map((upstream) => upstream.close())))
    },
  }
}

const never = new AbortController().signal

async function startWithLimit(
  upstreams: readonly Upstream[],
  roots: ConfigRoots,
  { ms, remember }: DiscoveryLimit,
  signal: AbortSignal,
  runtime: Runtime | undefined,
): Promise<readonly ConfigProblem[][]> {
  const unresponsive = await UnresponsiveServers.open(stateFolder(roots))
  const late: Upstream[] = []
  const startProblems = await Promise.all(
    upstreams.map(async (upstream) => {
      if (remember && upstream.listing === null && unresponsive.has(upstream.config))
        return [problemOf(upstream, noResponse(upstream, 'recently, so it was not started again'))]
      const limit = new AbortController()
      const timer = systemClock.setTimer(ms, () => {
        late.push(upstream)
        limit.abort(new Error(noResponse(upstream, `within ${formatDuration(ms)}`)))
      })
      return await startIfUnseen(upstream, signal, runtime, limit.signal).finally(() =>
        systemClock.clearTimer(timer),
      )
    }),
  )
  if (remember) await unresponsive.add(late.map(({ config }) => config))
  return startProblems
}

function noResponse({ name }: Upstream, when: string): string {
  return `the MCP server ${name} did not respond ${when}; curfew mcp test ${name} waits for it`
}

/** Starts a server that was never seen, and returns the problems with it or its tools. */
async function startIfUnseen(
  upstream: Upstream,
  signal: AbortSignal,
  runtime: Runtime | undefined,
  limit: AbortSignal = never,
): Promise<ConfigProblem[]> {
  if (upstream.listing !== null) return []
  try {
    await upstream.connect(AbortSignal.any([signal, limit]))
    return upstream.toolProblems.map((problem) => problemOf(upstream, problem))
  } catch (error) {
    if (runtime === undefined || upstream.problem?.code !== 'CREDENTIAL_REQUIRED')
      return [problemOf(upstream, messageOf(error))]
    const result = await startWithKey(upstream, runtime, signal)
    const isListed = upstream.listing !== null || result.status === 'success'
    return (isListed ? upstream.toolProblems : [result.message]).map((problem) =>
      problemOf(upstream, problem),
    )
  }
}

function waitingProblem({ config, state }: Upstream): ConfigProblem[] {
  const waiting = describeWaiting(config.name, state)
  return waiting === null ? [] : [configWarning(config.file, `mcpServers.${config.name}`, waiting)]
}

function problemOf({ config }: Upstream, message: string): ConfigProblem {
  return configError(config.file, `mcpServers.${config.name}`, message)
}
