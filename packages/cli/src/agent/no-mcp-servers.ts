import type { McpHost } from '@curfew/agent'

const message = 'There are no MCP servers; curfew mcp add adds one.'
const reject = (): Promise<never> => Promise.reject(new Error(message))

/** Used if no servers are configured, because the MCP client is slow to load. */
export const noMcpServers: McpHost = {
  servers: () => [],
  run: async () => ({ type: 'text', text: message }),
  prompts: () => [],
  getPrompt: reject,
  readResource: reject,
}
