import { type Command, defineCommand, flag, text } from '../command.ts'
import { agentNames, agentSummary } from '../mcp/import/agent-names.ts'
import { storeSecretsOption } from './shared-options.ts'

export const mcpImportCommand: Command = defineCommand({
  name: 'import',
  summary: 'Import MCP servers from Claude, Cursor, VS Code and other agents',
  description: [
    "User-level servers are written to your own mcp.json, this project's servers to its .curfew, which is created and trusted if there is none. Servers that are disabled in the agent stay disabled; servers from a repository are imported only if you approved them in the agent. Finally, it prints how to change the agent's own file so that the agent uses Curfew.",
    'Without AGENT and --file, it lists the servers it finds, and imports nothing.',
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
    file: text('FILE', 'Import from this file', { completes: 'file' }),
    'store-secrets': storeSecretsOption,
    apply: flag("Edit the agent's own file, and keep a backup next to it"),
    rename: flag('Import a server under another name if its name is already in use', {
      conflicts: ['force'],
    }),
    force: flag('Replace existing servers of the same name'),
    'dry-run': flag('Show what would be imported, and write nothing'),
  },
  examples: {
    'curfew mcp import claude --dry-run': 'Show what would be imported.',
    'curfew mcp import cursor --store-secrets --apply':
      'Import the servers, store their keys as secrets, and make Cursor use Curfew.',
  },
  seeAlso: ['curfew mcp diff', 'curfew mcp test', 'curfew mcp list'],
  guide: 'mcp.md',
  run: async (input) => (await import('../mcp/run-mcp-import.ts')).runMcpImport(input),
})
