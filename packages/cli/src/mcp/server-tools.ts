import { formatDuration, type Runtime, type Tool } from '@curfew/core'
import { messageOf, systemClock } from '@curfew/core/internal'
import { type ConfigProblem, configRoots, openVault } from '@curfew/extensions'
import { configError } from '@curfew/extensions/internal'
import { startWithKey, type Upstream, type UpstreamTool, upstreamTools } from '@curfew/mcp'
import { secretOptions } from '../secret/open-secrets.ts'
import { closeOnSignal } from './close-on-signal.ts'
import { openServers, stateFolder } from './open-servers.ts'
import { openSignIn } from './open-sign-in.ts'
import { signInTokens } from './sign-in-tokens.ts'
import { Unanswered } from './unanswered.ts'

export interface ServerTools {
  readonly tools: readonly Tool[]
  /** Where the server of a tool is described. */
  readonly files: ReadonlyMap<string, string>
  /** As the servers describe them, by the names of the tools. */
  readonly definitions: ReadonlyMap<string, ServerDefinition>
  readonly problems: readonly ConfigProblem[]
  /** Ends the servers that were started. */
  close(): Promise<void>
}

export interface ServerDefinition {
  readonly server: string
  readonly definition: UpstreamTool['definition']
}

/** How long a server that was never seen is waited for, where that is less than its `startTimeout`. */
export interface Patience {
  readonly ms: number
  /** One that did not answer lately is not started again. */
  readonly remember: boolean
}

/**
 * The tools of the servers in `mcp.json`, or of the one that is named. Only one that was never seen is started for that; if it lacks a
 * key, somebody is asked for it where there is a runtime to ask.
 */
export async function openServerTools(
  command: string,
  only: string | undefined,
  runtime?: Runtime,
  patience?: Patience,
): Promise<ServerTools> {
  const secrets = secretOptions()
  const { upstreams, problems } = await openServers(command, only, {
    vault: openVault(secrets),
    tokens: signInTokens(secrets),
    // Listing tools must not open a sign-in page.
    openSignIn: patience?.remember ? undefined : openSignIn,
    hideSecret: runtime?.hideSecret,
  })
  const looked = await closeOnSignal(upstreams, () =>
    patience === undefined
      ? Promise.all(upstreams.map((upstream) => look(upstream, never, runtime)))
      : lookBriefly(upstreams, patience, runtime),
  )
  const found = upstreams.flatMap((upstream) => upstreamTools(upstream))
  return {
    tools: found.map(({ tool }) => tool),
    files: new Map(found.map(({ tool, upstream }) => [tool.name, upstream.config.file])),
    definitions: new Map(
      found.map(({ tool, definition, upstream }) => [tool.name, { server: upstream.name, definition }]),
    ),
    problems: [...problems, ...looked.flat()],
    async close() {
      await closeOnSignal(upstreams, () => Promise.all(upstreams.map((upstream) => upstream.close())))
    },
  }
}

const never = new AbortController().signal

async function lookBriefly(
  upstreams: readonly Upstream[],
  { ms, remember }: Patience,
  runtime: Runtime | undefined,
): Promise<readonly ConfigProblem[][]> {
  const unanswered = await Unanswered.open(stateFolder(configRoots()))
  const late: Upstream[] = []
  const looked = await Promise.all(
    upstreams.map(async (upstream) => {
      if (remember && upstream.listing === null && unanswered.has(upstream.config))
        return [problemOf(upstream, noAnswer(upstream, 'lately, so it was not started again'))]
      const limit = new AbortController()
      const timer = systemClock.setTimer(ms, () => {
        late.push(upstream)
        limit.abort(new Error(noAnswer(upstream, `within ${formatDuration(ms)}`)))
      })
      return await look(upstream, limit.signal, runtime).finally(() => systemClock.clearTimer(timer))
    }),
  )
  if (remember) await unanswered.add(late.map(({ config }) => config))
  return looked
}

function noAnswer({ name }: Upstream, when: string): string {
  return `the MCP server ${name} did not answer ${when}; curfew mcp test ${name} waits for it`
}

/** Starts a server that was never seen; what is wrong with it or its tools. */
async function look(
  upstream: Upstream,
  signal: AbortSignal,
  runtime: Runtime | undefined,
): Promise<ConfigProblem[]> {
  if (upstream.listing !== null) return []
  try {
    await upstream.connect(signal)
    return upstream.toolProblems.map((problem) => problemOf(upstream, problem))
  } catch (error) {
    if (runtime === undefined || upstream.problem?.code !== 'CREDENTIAL_REQUIRED')
      return [problemOf(upstream, messageOf(error))]
    const result = await startWithKey(upstream, runtime)
    const isThere = upstream.listing !== null || result.status === 'success'
    return (isThere ? upstream.toolProblems : [result.message]).map((problem) => problemOf(upstream, problem))
  }
}

function problemOf({ config }: Upstream, message: string): ConfigProblem {
  return configError(config.file, `mcpServers.${config.name}`, message)
}
