import { type Command, defineCommand, flag } from '../command.ts'

export const mcpLogsCommand: Command = defineCommand({
  name: 'logs',
  summary: 'Show what an MCP server printed and what happened to it',
  description: [
    'Shows when the server was started, stopped or lost, what it printed to standard error, and what it logged over MCP, in all gateways. The log is kept in a file of at most 2 MiB, so it can be read after the gateway has ended. Secrets of the server are removed.',
  ],
  arguments: { server: { placeholder: 'NAME', summary: 'The name of the server' } },
  options: {
    follow: flag('Wait for more lines until you press Ctrl-C', { short: 'f' }),
    lines: {
      type: 'integer',
      short: 'n',
      placeholder: 'N',
      min: 1,
      max: 1_000_000,
      default: 200,
      summary: 'Show the last N lines',
    },
    json: flag(
      'Print one JSON object: { server, lines: [{ at, gateway, kind, text }] }; with --follow, one object per line',
    ),
  },
  examples: {
    'curfew mcp logs github --follow': 'Watch what a server prints.',
  },
  seeAlso: ['curfew mcp status', 'curfew mcp test'],
  guide: 'mcp.md',
  run: async (input) => (await import('../mcp/run-mcp-logs.ts')).runMcpLogs(input),
})
