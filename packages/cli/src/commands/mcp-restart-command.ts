import { type Command, defineCommand } from '../command.ts'

export const mcpRestartCommand: Command = defineCommand({
  name: 'restart',
  summary: 'Restart an MCP server in all running gateways',
  description: [
    'New calls go to a new process, or a new connection to a remote server; the old one ends when its calls have ended. A server that is not running is started by its next call.',
  ],
  arguments: { server: { placeholder: 'NAME', summary: 'The name of the server' } },
  exitCodes: { 0: 'Restarted', 1: 'No gateway has it, or one does not respond' },
  seeAlso: ['curfew mcp status', 'curfew mcp logs'],
  guide: 'mcp.md',
  run: async ({ server }) => (await import('../mcp/run-mcp-restart.ts')).runMcpRestart(server),
})
