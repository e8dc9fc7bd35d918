import { type Command, defineCommand, flag } from '../command.ts'
import { projectOption, setOption, viewOption } from './shared-options.ts'

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
    suggest: flag(
      'Suggest timeouts from the recorded calls: 1.5 times what 99 % of the successful ones took, or twice the longest of fewer than 299',
      { conflicts: ['view'] },
    ),
    write: flag('Write the suggested timeouts to config.json, below tools', { requires: ['suggest'] }),
    project: {
      ...projectOption,
      requires: ['suggest'],
      summary:
        'Use only the calls of this project, and write to its .curfew, which is created and trusted if there is none',
    },
    json: flag(
      'Print one JSON object: { tools, problems }; with --suggest, { suggestions, others, written }',
    ),
  },
  examples: {
    'curfew tools script_weather': 'Show one tool in full.',
    "curfew tools 'mcp__github__*'": 'List the tools of one MCP server.',
    'curfew tools --suggest': 'Show which timeouts are too long or too short.',
  },
  seeAlso: ['curfew call', 'curfew mcp test', 'curfew stats'],
  guide: 'tools-from-files.md',
  async run(input) {
    if (input.suggest) return (await import('../tools/suggest-run.ts')).runSuggest(input)
    return (await import('../tools/run-tools.ts')).runTools(input)
  },
})
