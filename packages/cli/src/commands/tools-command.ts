import { type Command, defineCommand } from '../command.ts'
import { setOption, viewOption } from './shared-options.ts'

export const toolsCommand: Command = defineCommand({
  name: 'tools',
  summary: 'List tools with their effective timeouts',
  description: [
    "The list contains the built-in tools, your own (extensions/ in your configuration folder), those of this project's .curfew if you trust it, and those of the MCP servers in mcp.json. A server that has never run is started and gets 3 s to respond; if it does not, it is not tried again for 10 minutes.",
    "The agent's own tools, for files, commands and the web, are listed by curfew -p /tools.",
    'Problems in files are reported on standard error; the other tools still load.',
  ],
  arguments: {
    filter: {
      placeholder: 'FILTER',
      summary:
        'The name of a tool, to show its parameters, timeout, flags, secrets and file; or part of a name, or a pattern with * or ?, to list only matching tools',
      optional: true,
    },
  },
  options: {
    view: {
      ...viewOption,
      summary:
        'Show tools as a model sees them: only the name (stub), with description and parameters (brief), or also with usage and behaviour (full)',
    },
    set: setOption,
    json: { type: 'boolean', summary: 'Print one JSON object: { tools, problems }' },
  },
  examples: [
    { command: 'curfew tools script_weather', summary: 'Show one tool in full.' },
    { command: "curfew tools 'mcp__github__*'", summary: 'List the tools of one MCP server.' },
  ],
  seeAlso: ['curfew call', 'curfew mcp test'],
  guide: 'tools-from-files.md',
  run: async (input) => (await import('../tools/run-tools.ts')).runTools(input),
})
