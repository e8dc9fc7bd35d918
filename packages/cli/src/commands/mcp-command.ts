import { type Command, defineCommand } from '../command.ts'
import { mcpAddCommand } from './mcp-add-command.ts'
import { mcpApproveCommand } from './mcp-approve-command.ts'
import { mcpImportCommand } from './mcp-import-command.ts'
import { mcpListCommand } from './mcp-list-command.ts'
import { mcpTestCommand } from './mcp-test-command.ts'
import { setOption, viewOption } from './shared-options.ts'

const removeAdvice =
  'Remove the server from its file, which curfew mcp list shows, or set "disabled": true there.'

export const mcpCommand: Command = defineCommand({
  name: 'mcp',
  summary: 'Serve all tools to an agent over MCP, and manage MCP servers',
  description: [
    'Without a subcommand, it serves your tools and those of the MCP servers in mcp.json on standard input and output, or over HTTP. Every call ends on time.',
  ],
  options: {
    view: {
      ...viewOption,
      summary:
        'How much of each tool to list: only its name, with search_tools to find more (stub), also its description and parameters (brief, the default), or everything (full)',
    },
    include: {
      type: 'string',
      placeholder: 'GLOB',
      multiple: true,
      summary: "Serve only tools whose name matches, as in 'mcp__github__*'",
    },
    exclude: {
      type: 'string',
      placeholder: 'GLOB',
      multiple: true,
      summary: 'Do not serve tools whose name matches',
    },
    builtins: {
      type: 'boolean',
      summary:
        'Also serve timeout, nice and sleep. The first two run any command: an agent that may call them can do anything that you can',
    },
    unprefixed: {
      type: 'boolean',
      summary: "Keep the servers' own tool names where they are unique, instead of mcp__<server>__<tool>",
    },
    'name-limit': {
      type: 'integer',
      placeholder: 'N',
      min: 16,
      max: 128,
      default: 64,
      summary: 'Shorten longer names; an agent that puts mcp__curfew__ before them needs 51',
    },
    set: setOption,
    http: { type: 'boolean', summary: 'Serve any number of clients at http://HOST:PORT/mcp' },
    port: {
      type: 'integer',
      placeholder: 'N',
      min: 0,
      max: 65_535,
      default: 8787,
      requires: ['http'],
      summary: 'Listen on this port; 0 picks a free one',
    },
    host: {
      type: 'string',
      placeholder: 'HOST',
      default: '127.0.0.1',
      requires: ['http'],
      summary: 'Listen on this address; 0.0.0.0 lets other machines connect',
    },
    'no-token': {
      type: 'boolean',
      requires: ['http'],
      summary:
        'Let every program on this machine connect. Without it, clients must send the bearer token in CURFEW_MCP_TOKEN, or the one that is printed',
    },
  },
  examples: [
    {
      command: 'claude mcp add curfew -- curfew mcp --name-limit 51',
      summary: 'Let Claude Code use your tools and servers through Curfew.',
    },
    {
      command: "curfew mcp --http --include 'mcp__github__*'",
      summary: 'Serve the tools of one server over HTTP.',
    },
  ],
  subcommands: [mcpAddCommand, mcpApproveCommand, mcpImportCommand, mcpListCommand, mcpTestCommand],
  missingSubcommands: {
    remove: removeAdvice,
    rm: removeAdvice,
    delete: removeAdvice,
    disable: removeAdvice,
    serve: 'curfew mcp without a subcommand serves your tools.',
  },
  seeAlso: ['curfew tools', 'curfew config'],
  guide: 'mcp.md',
  run: async (input) => (await import('../mcp/run-mcp-serve.ts')).runMcpServe(input),
})
