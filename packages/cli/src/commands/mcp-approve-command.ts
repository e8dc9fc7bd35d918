import { type Command, defineCommand } from '../command.ts'

export const mcpApproveCommand: Command = defineCommand({
  name: 'approve',
  summary: 'Review and approve tool definitions that an MCP server has changed',
  description: [
    'A tool whose definition has changed since it was first seen is denied until you approve it, because a server could change what a model reads about a tool after you have come to rely on it. Invisible characters are shown as escapes, as in \\u200b.',
  ],
  arguments: {
    server: { placeholder: 'NAME', summary: 'The name of the server', optional: true },
  },
  usage: ['NAME [OPTIONS]'],
  options: {
    yes: { type: 'boolean', short: 'y', summary: 'Approve without asking' },
    json: {
      type: 'boolean',
      summary: 'Print one JSON object: { server, changed, approved }. Approves only with --yes',
    },
  },
  exitCodes: { 0: 'Approved, or nothing to approve', 1: 'You declined' },
  seeAlso: ['curfew mcp list'],
  guide: 'mcp.md',
  run: async (input) => (await import('../mcp/run-mcp-approve.ts')).runMcpApprove(input),
})
