import { type Command, defineCommand, flag, text } from '../command.ts'
import { mcpAddCommand } from './mcp-add-command.ts'
import { mcpApproveCommand } from './mcp-approve-command.ts'
import { mcpDiffCommand } from './mcp-diff-command.ts'
import { mcpImportCommand } from './mcp-import-command.ts'
import {
  mcpDisableCommand,
  mcpEnableCommand,
  mcpListCommand,
  mcpLogsCommand,
  mcpRemoveCommand,
  mcpRestartCommand,
  mcpStatusCommand,
  mcpTestCommand,
} from './mcp-server-commands.ts'
import { setOption, viewOption } from './shared-options.ts'

const removeAdvice =
  'To remove a server: curfew mcp remove NAME; to keep it without using it: curfew mcp disable NAME.'

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
        'How much of each tool to list: only its name, with search_tools to find more (stub), also a sentence and its parameters (brief, the default), or everything (full)',
    },
    include: text('GLOB', "Serve only tools whose name matches, as in 'mcp__github__*'", { multiple: true }),
    exclude: text('GLOB', 'Do not serve tools whose name matches', { multiple: true }),
    profile: text('NAME', 'Serve only this profile of config.json'),
    builtins: flag(
      'Also serve timeout, nice and sleep. The first two run any command: an agent that may call them can do anything that you can',
    ),
    names: {
      type: 'choice',
      choices: ['full', 'short', 'bare'],
      placeholder: 'STYLE',
      summary:
        "How to name the servers' tools: mcp__<server>__<tool> (full, the default), <server>__<tool> (short, for agents that add their own prefix), or <tool> where it is unique (bare)",
    },
    unprefixed: flag('The same as --names bare', { conflicts: ['names'] }),
    'name-limit': {
      type: 'integer',
      placeholder: 'N',
      min: 16,
      max: 128,
      default: 64,
      summary: 'Shorten longer names; an agent that puts mcp__curfew__ before them needs 51',
    },
    set: setOption,
    http: flag('Serve any number of clients at http://HOST:PORT/mcp'),
    port: {
      type: 'integer',
      placeholder: 'N',
      min: 0,
      max: 65_535,
      default: 8787,
      requires: ['http'],
      summary: 'Listen on this port; 0 picks a free one',
    },
    host: text('HOST', 'Listen on this address; 0.0.0.0 lets other machines connect', {
      default: '127.0.0.1',
      requires: ['http'],
    }),
    'no-token': flag(
      'Let every program on this machine connect. Without it, clients must send the bearer token in CURFEW_MCP_TOKEN, or the one that is printed',
      { requires: ['http'] },
    ),
  },
  examples: {
    'claude mcp add curfew -- curfew mcp --name-limit 51':
      'Let Claude Code use your tools and servers through Curfew.',
    "curfew mcp --http --include 'mcp__github__*'": 'Serve the tools of one server over HTTP.',
    'curfew mcp --profile work': 'Serve only what the profile contains.',
  },
  subcommands: [
    mcpAddCommand,
    mcpApproveCommand,
    mcpDiffCommand,
    mcpDisableCommand,
    mcpEnableCommand,
    mcpImportCommand,
    mcpListCommand,
    mcpLogsCommand,
    mcpRemoveCommand,
    mcpRestartCommand,
    mcpStatusCommand,
    mcpTestCommand,
  ],
  missingSubcommands: {
    rm: removeAdvice,
    delete: removeAdvice,
    serve: 'curfew mcp without a subcommand serves your tools.',
  },
  seeAlso: ['curfew tools', 'curfew config'],
  guide: 'mcp.md',
  run: async (input) => (await import('../mcp/run-mcp-serve.ts')).runMcpServe(input),
})
