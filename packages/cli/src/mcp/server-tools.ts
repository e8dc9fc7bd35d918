import type { Runtime, Tool } from '@curfew/core'
import { configError, messageOf, systemClock } from '@curfew/core/adapter'
import type { ConfigProblem } from '@curfew/core/extensions'
import { openVault } from '@curfew/core/secrets'
import { listPatienceMs, startWithKey, type Upstream, type UpstreamTool, upstreamTools } from '@curfew/mcp'
import { secretOptions } from '../secret/open-secrets.ts'
import { openServers } from './open-servers.ts'
import { openSignIn } from './open-sign-in.ts'
import { signInTokens } from './sign-in-tokens.ts'

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

/**
 * The tools of the servers in `mcp.json`, or of the one that is named. Only one that was never seen is started for that; if it lacks a
 * key, somebody is asked for it where there is a runtime to ask.
 */
export async function openServerTools(
  command: string,
  only: string | undefined,
  runtime?: Runtime,
): Promise<ServerTools> {
  const secrets = secretOptions()
  const { upstreams, problems } = await openServers(command, only, {
    vault: openVault(secrets),
    tokens: signInTokens(secrets),
    openSignIn,
    hideSecret: runtime?.hideSecret,
  })
  // Whoever wants one server waits for it as long as it may take; a list does not wait for all.
  const failed = (
    await Promise.all(
      upstreams.map((upstream) =>
        look(upstream, only === undefined ? listPatienceMs : upstream.config.startTimeoutMs, runtime),
      ),
    )
  ).flat()
  const found = upstreams.flatMap((upstream) => upstreamTools(upstream))
  return {
    tools: found.map(({ tool }) => tool),
    files: new Map(found.map(({ tool, upstream }) => [tool.name, upstream.config.file])),
    definitions: new Map(
      found.map(({ tool, definition, upstream }) => [tool.name, { server: upstream.name, definition }]),
    ),
    problems: [...problems, ...failed],
    async close() {
      await Promise.all(upstreams.map((upstream) => upstream.close()))
    },
  }
}

/** Starts a server that was never seen; what is wrong with it or its tools. */
async function look(
  upstream: Upstream,
  patienceMs: number,
  runtime: Runtime | undefined,
): Promise<ConfigProblem[]> {
  if (upstream.listing !== null) return []
  const { name, file } = upstream.config
  const problemOf = (message: string): ConfigProblem => configError(file, `mcpServers.${name}`, message)
  const limit = new AbortController()
  const timer = systemClock.setTimer(patienceMs, () =>
    limit.abort(new Error(`the MCP server ${name} takes longer; curfew mcp test ${name} waits for it`)),
  )
  try {
    await upstream.connect(limit.signal)
    return upstream.toolProblems.map(problemOf)
  } catch (error) {
    if (runtime === undefined || upstream.problem?.code !== 'CREDENTIAL_REQUIRED')
      return [problemOf(messageOf(error))]
    const result = await startWithKey(upstream, runtime)
    const isThere = upstream.listing !== null || result.status === 'success'
    return (isThere ? upstream.toolProblems : [result.message]).map(problemOf)
  } finally {
    systemClock.clearTimer(timer)
  }
}
