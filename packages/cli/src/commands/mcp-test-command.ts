import { type Command, defineCommand, flag } from '../command.ts'

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
