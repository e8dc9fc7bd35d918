import { type Command, defineCommand, flag, text } from '../command.ts'
import { agentNames, agentSummary } from '../mcp/import/agent-names.ts'

export const mcpDiffCommand: Command = defineCommand({
  name: 'diff',
  summary: "Compare an agent's MCP servers with yours",
  description: [
    'Lists the servers that only the agent has, that only Curfew has, that are the same in both, and that differ, with the fields. The same server in another notation is not a difference. If the agent uses Curfew, it also lists the servers of Curfew that the agent still starts itself. Keys are never printed. Starts no server and writes nothing.',
  ],
  arguments: {
    agent: {
      placeholder: 'AGENT',
      summary: agentSummary,
      choices: agentNames,
      optional: true,
    },
  },
  options: {
    file: text('FILE', "Compare with this file instead of the agent's own", { completes: 'file' }),
    json: flag('Print one JSON object: { equal, usesCurfew, servers, problems }'),
  },
  examples: {
    'curfew mcp diff cursor': 'Compare the servers of Cursor with yours.',
    'curfew mcp diff vscode --file .vscode/mcp.json': 'Compare the servers in one file.',
  },
  exitCodes: {
    0: 'Nothing differs, and no server is started twice',
    1: 'Something differs',
    2: 'The command line is invalid, or a file could not be read',
  },
  seeAlso: ['curfew mcp import', 'curfew mcp list'],
  guide: 'mcp.md',
  run: async (input) => (await import('../mcp/run-mcp-diff.ts')).runMcpDiff(input),
})
