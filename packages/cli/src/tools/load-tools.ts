import { niceTool, type Runtime, sleepTool, storeSecretTool, type Tool, timeoutTool } from '@curfew/core'
import { moveToUserScope } from '@curfew/core/internal'
import { type Config, type ConfigContext, type Extensions, loadExtensions } from '@curfew/extensions'
import { loadServers } from '@curfew/mcp/config'
import { rejectInvalidSettings } from '../config/reject-invalid-settings.ts'
import type { DiscoveryLimit, MoreServers, ServerTools } from '../mcp/server-tools.ts'

export interface ConfiguredTools extends Omit<Extensions, 'tools'> {
  /** The built-in tools, then those described in files. */
  readonly tools: readonly Tool[]
  /** The file that describes a tool, by its name. */
  readonly files: ReadonlyMap<string, string>
}

export interface WithServerTools extends ConfiguredTools {
  /** The tool definitions as the servers list them. */
  readonly definitions: ServerTools['definitions']
  readonly upstreams: ServerTools['upstreams']
  /** Stops the servers that were started. */
  close(): Promise<void>
}

/** Two of them run any command, so an agent gets them only on request; a user at a terminal can run any command anyway. */
const commandTools: readonly Tool[] = [timeoutTool, sleepTool, niceTool]

/**
 * Every tool that is configured for this directory, except those of MCP servers. `builtins` decides from the configuration
 * whether the command tools are included.
 */
export async function loadTools(
  command: string,
  flags: readonly string[] = [],
  builtins: (config: Config) => boolean = () => true,
  context: ConfigContext = {},
): Promise<ConfiguredTools> {
  const [{ tools, ...rest }] = await Promise.all([loadExtensions(context, flags), moveToUserScope()])
  rejectInvalidSettings(command, rest.problems)
  return {
    ...rest,
    tools: [
      ...(builtins(rest.config) ? commandTools : []),
      storeSecretTool,
      ...tools.map(({ tool }) => tool),
    ],
    files: new Map(tools.map(({ tool, file }) => [tool.name, file])),
  }
}

/** Adds the tools of all MCP servers, or of one. */
export async function addServerTools(
  command: string,
  configured: ConfiguredTools,
  only: string | undefined,
  runtime?: Runtime,
  discoveryLimit?: DiscoveryLimit,
  more: MoreServers = {},
): Promise<WithServerTools> {
  const { servers, unused, problems } = await loadServers(configured.roots)
  const isUnused = unused.some(({ name }) => name === only)
  if (servers.length === 0 && (more.added ?? []).length === 0 && !isUnused)
    return {
      ...configured,
      definitions: new Map(),
      upstreams: [],
      problems: [...configured.problems, ...problems],
      close: async () => {},
    }
  // The MCP client is slow to load.
  const { openServerTools } = await import('../mcp/server-tools.ts')
  const added = await openServerTools(command, only, {
    runtime,
    discoveryLimit,
    ...more,
    roots: configured.roots,
  })
  return {
    ...configured,
    tools: [...configured.tools, ...added.tools],
    files: new Map([...configured.files, ...added.files]),
    problems: [...configured.problems, ...added.problems],
    definitions: added.definitions,
    upstreams: added.upstreams,
    close: added.close,
  }
}

/** The tools of all MCP servers as far as they are known, without starting any. */
export async function knownServerTools(): Promise<readonly Tool[]> {
  const [{ openServers }, { upstreamTools }] = await Promise.all([
    import('../mcp/open-servers.ts'),
    import('@curfew/mcp'),
  ])
  const { upstreams } = await openServers('call')
  return upstreams.flatMap((upstream) => upstreamTools(upstream)).map(({ tool }) => tool)
}
