import { type Command, defineCommand, flag } from '../command.ts'

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
