import { type Command, defineCommand } from '../command.ts'

export const mcpListCommand: Command = defineCommand({
  name: 'list',
  summary: 'List MCP servers with their files and number of tools',
  description: [
    'The servers come from your mcp.json and from that of this project. None is started: the number of tools is that of the last run. A tool whose definition has changed since it was first seen is denied until curfew mcp approve.',
  ],
  options: { json: { type: 'boolean', summary: 'Print one JSON object: { servers, problems }' } },
  seeAlso: ['curfew mcp test', 'curfew mcp approve'],
  guide: 'mcp.md',
  run: async ({ json }) => (await import('../mcp/run-mcp-list.ts')).runMcpList(json),
})
