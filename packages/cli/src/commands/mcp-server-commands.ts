import { type Command, defineCommand, flag } from '../command.ts'

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

export const mcpStatusCommand: Command = defineCommand({
  name: 'status',
  summary: 'Show running gateways and the state of their MCP servers',
  description: [
    'Lists every gateway (curfew mcp) that you have running, in any project, and its servers: the state and how long it has lasted, the process, the number of tools and calls, and the last error. If no gateway is running, it lists the configured servers with what is known about them.',
  ],
  options: {
    json: flag(
      'Print one JSON object: { gateways: [{ pid, project, transport, url, profile, servers, heldBack, ... }], configured }',
    ),
  },
  notes: [
    'A gateway that does not respond within half a second is listed without its servers. A gateway without a journal (journal.enabled) cannot be reached.',
  ],
  seeAlso: ['curfew mcp logs', 'curfew mcp restart', 'curfew ps'],
  guide: 'mcp.md',
  run: async ({ json }) => (await import('../mcp/run-mcp-status.ts')).runMcpStatus(json),
})

export const mcpTestCommand: Command = defineCommand({
  name: 'test',
  summary: 'Start MCP servers and show what they offer',
  description: [
    'For each server, it shows how long the start took, the protocol version and what the server offers, or why it did not start, with its standard error. If a server requires you to sign in, it asks you, and a browser opens.',
  ],
  arguments: {
    server: { placeholder: 'NAME', summary: 'Test only this server', optional: true },
  },
  options: { json: flag('Print one JSON object: { servers, problems }') },
  exitCodes: { 0: 'All servers work', 1: 'At least one does not' },
  seeAlso: ['curfew mcp list'],
  guide: 'mcp.md',
  run: async (input) => (await import('../mcp/run-mcp-test.ts')).runMcpTest(input),
})
