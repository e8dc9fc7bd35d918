import { type Command, defineCommand } from '../command.ts'
import { timeoutOption } from './shared-options.ts'

export const reviewCommand: Command = defineCommand({
  name: 'review',
  summary: 'Review tool definitions and grade them from A to D',
  usage: ['[OPTIONS] [PATH]', '[OPTIONS] --mcp COMMAND|URL'],
  description: [
    'Definitions are reviewed as a model reads them. The report lists problems with suggested rewrites, and grades every tool. Nothing is executed, except the server given with --mcp and configured servers that have never run.',
  ],
  arguments: {
    path: {
      placeholder: 'PATH',
      summary:
        'A folder of scripts or APIs, one of their files, or the tools/list response of a server; "-" reads standard input. Without it, the configured tools are reviewed',
      optional: true,
      completes: 'file',
    },
  },
  options: {
    mcp: {
      type: 'string',
      placeholder: 'COMMAND|URL',
      summary: 'Start this MCP server, or connect to it, and review its tools',
    },
    timeout: {
      ...timeoutOption,
      requires: ['mcp'],
      summary:
        'Time limit for the server to start: seconds, or a number with a unit (250ms, 2m); 30s by default',
    },
    json: { type: 'boolean', conflicts: ['sarif', 'markdown'], summary: 'Print the report as JSON' },
    sarif: { type: 'boolean', conflicts: ['markdown'], summary: 'Print the report as SARIF' },
    markdown: { type: 'boolean', summary: 'Print the report as Markdown' },
    all: { type: 'boolean', summary: 'Shorten nothing, and show the evidence for every point of the score' },
    'output-file': {
      type: 'string',
      short: 'o',
      placeholder: 'FILE',
      completes: 'file',
      summary: 'Write the report to this file',
    },
    'fail-on': {
      type: 'string',
      placeholder: 'LEVEL',
      default: 'warning',
      summary:
        'Exit with 1 if a finding has at least this severity (error, warning, note) or a grade is worse than this one (grade:B). Combine both with a comma; never turns this off',
    },
    baseline: {
      type: 'string',
      placeholder: 'FILE',
      completes: 'file',
      summary: 'Do not fail on the findings in this file',
    },
    'write-baseline': {
      type: 'boolean',
      requires: ['baseline'],
      summary: 'Write all current findings to that file',
    },
    fix: {
      type: 'boolean',
      conflicts: ['mcp'],
      summary: 'Apply safe rewrites to your tool.json and API files',
    },
  },
  notes: [
    'A tool\'s own file can list rules that do not apply to it, with a reason: "review": { "ignore": [{ "rule": "...", "reason": "..." }] }',
  ],
  examples: [
    { command: 'curfew review', summary: 'Review the configured tools.' },
    {
      command: 'curfew review --mcp "npx -y @modelcontextprotocol/server-memory"',
      summary: 'Review the tools of an MCP server.',
    },
    {
      command: 'curfew review tools/ --sarif -o review.sarif --fail-on error,grade:B',
      summary: 'Review a folder in CI.',
    },
  ],
  exitCodes: {
    0: 'Nothing reached --fail-on',
    1: 'A finding or a grade reached --fail-on',
    2: 'Something could not be reviewed',
  },
  seeAlso: ['curfew tools'],
  guide: 'review.md',
  run: async (input) => (await import('../review/run-review.ts')).runReview(input),
})
