import type { McpServer } from '@agentclientprotocol/sdk'
import { type ServerConfig, serverDefaults, serverNameProblem } from '@curfew/mcp/config'
import { UsageError } from '../command.ts'

/** The editor's own MCP servers. Their values are used as they are: `secret:NAME` in them has no meaning. */
export function readClientServers(servers: readonly McpServer[], cwd: string): readonly ServerConfig[] {
  return servers.map((server, index) => {
    const { name } = server
    const problem = serverNameProblem(name)
    if (problem !== null) throw new UsageError(`mcpServers[${index}].name: ${problem}`)
    return { ...serverDefaults, name, file: 'the editor', root: cwd, target: targetOf(server, cwd) }
  })
}

function targetOf(server: McpServer, cwd: string): ServerConfig['target'] {
  if ('url' in server) {
    const headers = Object.fromEntries(server.headers.map(({ name, value }) => [name, [value]]))
    return { kind: server.type, url: server.url, headers, oauth: undefined }
  }
  const env = Object.fromEntries(server.env.map(({ name, value }) => [name, [value]]))
  return { kind: 'stdio', command: server.command, args: server.args, env, cwd }
}
