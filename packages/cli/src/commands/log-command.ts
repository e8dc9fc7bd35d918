import { type Command, defineCommand, flag, text } from '../command.ts'

export const logCommand: Command = defineCommand({
  name: 'log',
  summary: 'List recorded calls, or show one in full',
  description: [
    'Every call is recorded, whichever program of Curfew made it: the gateway, the agent or curfew call. The newest calls of this project are listed first. A call is lost if its process ended before the call did.',
  ],
  arguments: {
    id: {
      placeholder: 'ID',
      summary: 'Show everything that is recorded about this call, which may be of another project',
      optional: true,
    },
  },
  options: {
    limit: {
      type: 'integer',
      short: 'n',
      placeholder: 'COUNT',
      default: 20,
      summary: 'List at most this many calls; 0 lists all',
    },
    tool: text('NAME', 'List only calls of this tool; also part of a name, or a pattern with * or ?', {
      multiple: true,
    }),
    failed: flag('List only calls that ended with an error or were lost'),
    since: text(
      'TIME',
      'List only calls since then: a duration such as 2h or 3d, or a time such as 14:30 or 2026-08-01',
    ),
    session: text('ID', 'List only calls of this conversation; curfew sessions lists the ids'),
    follow: flag('List the oldest first, then print each call when it ends, until you press Ctrl-C', {
      short: 'f',
    }),
    all: flag('List the calls of every project'),
    json: flag('Print one JSON object per line and call, with all that is recorded'),
  },
  examples: {
    'curfew log --failed --since 2h': 'List what went wrong in the last two hours.',
    "curfew log --follow --tool 'mcp__github__*'": 'Watch the calls of one MCP server.',
    'curfew log --json -n 0 | jq -r "select(.durationMs > 10000) | .id"':
      'List the ids of all calls that took longer than 10 s.',
    'curfew log m4tq-17': 'Show one call in full.',
  },
  seeAlso: ['curfew stats', 'curfew sessions'],
  guide: 'journal.md',
  run: async (input) => (await import('../log/run-log.ts')).runLog(input),
})
