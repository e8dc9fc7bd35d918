import { type Command, defineCommand, flag, text } from '../command.ts'

export const statsCommand: Command = defineCommand({
  name: 'stats',
  summary: 'Show how the calls of each tool ended and how long they took',
  description: [
    'The figures come from the recorded calls of this project. p50, p95 and p99 are the running times that 50, 95 and 99 % of the calls did not exceed, of calls that succeeded or failed; calls that were denied, cancelled or lost are only counted. The limit is that of the newest call.',
  ],
  options: {
    tool: text('NAME', 'Show only this tool; also part of a name, or a pattern with * or ?', {
      multiple: true,
    }),
    since: text(
      'TIME',
      'Count only calls since then: a duration such as 2h or 3d, or a time such as yesterday or 2026-08-01',
      { default: '30d' },
    ),
    sort: {
      type: 'choice',
      choices: ['calls', 'time', 'failed'],
      placeholder: 'KEY',
      default: 'calls',
      summary: 'Show the tools with the most calls, the longest total time or the most failures first',
    },
    all: flag('Count the calls of every project'),
    json: flag('Print one JSON object: { since, project, tools, breakers }'),
  },
  examples: {
    'curfew stats --since today': 'Show what the tools of this project did today.',
    "curfew stats --tool 'mcp__github__*' --sort time": 'Find the slow tools of one MCP server.',
  },
  seeAlso: ['curfew log', 'curfew tools'],
  guide: 'journal.md',
  run: async (input) => (await import('../stats/run-stats.ts')).runStats(input),
})
