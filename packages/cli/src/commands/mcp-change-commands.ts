import { type Command, defineCommand } from '../command.ts'

const server = { placeholder: 'NAME', summary: 'The name of the server' } as const
const whichFile =
  "If this project's mcp.json has the server, that file is changed, otherwise your own. The rest of the file keeps its formatting and comments. Running gateways apply the change immediately."

export const mcpEnableCommand: Command = defineCommand({
  name: 'enable',
  summary: 'Enable an MCP server that is disabled',
  description: [whichFile],
  arguments: { server },
  seeAlso: ['curfew mcp disable', 'curfew mcp list'],
  guide: 'mcp.md',
  run: async (input) => (await import('../mcp/run-mcp-change.ts')).runMcpSwitch('enable', input.server),
})

export const mcpDisableCommand: Command = defineCommand({
  name: 'disable',
  summary: 'Disable an MCP server without removing it',
  description: [`Sets "disabled": true. ${whichFile}`],
  arguments: { server },
  seeAlso: ['curfew mcp enable', 'curfew mcp remove'],
  guide: 'mcp.md',
  run: async (input) => (await import('../mcp/run-mcp-change.ts')).runMcpSwitch('disable', input.server),
})

export const mcpRemoveCommand: Command = defineCommand({
  name: 'remove',
  summary: 'Remove an MCP server from its file',
  description: [whichFile, 'Its secrets are kept; those that no other server uses are listed.'],
  arguments: { server },
  seeAlso: ['curfew mcp disable', 'curfew secret'],
  guide: 'mcp.md',
  run: async (input) => (await import('../mcp/run-mcp-change.ts')).runMcpRemove(input.server),
})
