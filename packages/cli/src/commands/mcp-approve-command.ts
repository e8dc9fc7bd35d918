import { type Command, defineCommand, flag } from '../command.ts'

export const mcpApproveCommand: Command = defineCommand({
  name: 'approve',
  summary: 'Review and approve changes of MCP servers',
  description: [
    'A tool that is new since the server was first seen is not listed, and one whose definition has changed is denied, until you approve it, because a server could change what a model reads after you have come to rely on it. Everything that waits at a server is shown and approved together. Invisible characters are shown as escapes, as in \\u200b.',
    "A running gateway uses a new or changed server of a project's mcp.json only after you have approved it here, because a model that can write to the project could otherwise start any command.",
  ],
  arguments: {
    server: { placeholder: 'NAME', summary: 'The name of the server', optional: true },
  },
  usage: ['NAME [OPTIONS]', '--all [OPTIONS]'],
  options: {
    all: flag('Review all changes, one server after the other'),
    yes: flag('Approve without asking', { short: 'y' }),
    json: flag(
      'Print one JSON object: { server, definition, changed, added, removed, approved }, or with --all { servers: [...] }. Approves only with --yes',
    ),
  },
  exitCodes: { 0: 'Approved, or nothing to approve', 1: 'You declined at least one server' },
  seeAlso: ['curfew mcp list'],
  guide: 'mcp.md',
  run: async (input) => (await import('../mcp/run-mcp-approve.ts')).runMcpApprove(input),
})
