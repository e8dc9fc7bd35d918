import { type Command, defineCommand, flag } from '../command.ts'

export const mcpListCommand: Command = defineCommand({
  name: 'list',
  summary: 'List MCP servers with their files and tool counts',
  description: [
    "The servers come from your mcp.json and this project's. None is started: the number of tools is from the last run. A tool that is new or has changed since the server was first seen is not used until you approve it with curfew mcp approve.",
  ],
  options: { json: flag('Print one JSON object: { servers, problems }') },
  seeAlso: ['curfew mcp test', 'curfew mcp approve'],
  guide: 'mcp.md',
  run: async ({ json }) => (await import('../mcp/run-mcp-list.ts')).runMcpList(json),
})
