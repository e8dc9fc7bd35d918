import { niceTool, type Runtime, sleepTool, storeSecretTool, type Tool, timeoutTool } from '@curfew/core'
import { type Config, type Extensions, loadExtensions } from '@curfew/extensions'
import { loadServers } from '@curfew/mcp/config'
import { refuseFlags } from '../config/set-option.ts'
import type { DiscoveryLimit, ServerTools } from '../mcp/server-tools.ts'

export interface ConfiguredTools extends Omit<Extensions, 'tools'> {
  /** What Curfew brings along, then what the files describe. */
  readonly tools: readonly Tool[]
  /** Where a tool is described. */
  readonly files: ReadonlyMap<string, string>
}

export interface WithServerTools extends ConfiguredTools {
  /** What the servers themselves say of their tools. */
  readonly definitions: ServerTools['definitions']
  /** Ends the servers that were started. */
  close(): Promise<void>
}

/** Two of them run any command. A person at a terminal can do that anyway; an agent is given them only on request. */
const commandTools: readonly Tool[] = [timeoutTool, sleepTool, niceTool]

/**
 * Every tool that is there for somebody who stands in this directory. `builtins` decides from the configuration whether
 * those that run commands are among them.
 */
export async function loadTools(
  command: string,
  flags: readonly string[] = [],
  builtins: (config: Config) => boolean = () => true,
): Promise<ConfiguredTools> {
  const { tools, ...rest } = await loadExtensions({}, flags)
  refuseFlags(command, rest.problems)
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

/** With those of the MCP servers: of all, or of the one that is named. */
export async function addServerTools(
  command: string,
  configured: ConfiguredTools,
  only: string | undefined,
  runtime?: Runtime,
  discoveryLimit?: DiscoveryLimit,
): Promise<WithServerTools> {
  const { servers, problems } = await loadServers(configured.roots)
  if (servers.length === 0)
    return {
      ...configured,
      definitions: new Map(),
      problems: [...configured.problems, ...problems],
      close: async () => {},
    }
  // What it takes to speak to servers takes long to load.
  const { openServerTools } = await import('../mcp/server-tools.ts')
  const added = await openServerTools(command, only, runtime, discoveryLimit)
  return {
    ...configured,
    tools: [...configured.tools, ...added.tools],
    files: new Map([...configured.files, ...added.files]),
    problems: [...configured.problems, ...added.problems],
    definitions: added.definitions,
    close: added.close,
  }
}
