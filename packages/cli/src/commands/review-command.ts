import { type Command, defineCommand, flag, text } from '../command.ts'
import { timeoutOption } from './shared-options.ts'

export const reviewCommand: Command = defineCommand({
  name: 'review',
  summary: 'Review tool definitions and grade them from A to D',
  usage: ['[OPTIONS] [PATH]', '[OPTIONS] --mcp COMMAND|URL'],
  description: [
    'Definitions are reviewed as a model reads them. The report starts with the grade and what would raise it most, then lists problems and grades every tool. Nothing is executed, except the server given with --mcp and configured servers that have never run.',
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
    mcp: text('COMMAND|URL', 'Start this MCP server, or connect to it, and review its tools'),
    timeout: {
      ...timeoutOption,
      requires: ['mcp'],
      summary:
        'Time limit for the server to start: seconds, or a number with a unit (250ms, 2m); 30s by default',
    },
    json: flag('Print the report as JSON', { conflicts: ['sarif', 'markdown'] }),
    sarif: flag('Print the report as SARIF', { conflicts: ['markdown'] }),
    markdown: flag('Print the report as Markdown'),
    all: flag('Show every tool with its rewrites and the evidence for every point of the score'),
    strict: flag('Show notes, too. JSON and SARIF always contain them'),
    'output-file': text('FILE', 'Write the report to this file', { short: 'o', completes: 'file' }),
    'fail-on': text(
      'LEVEL',
      'Exit with 1 if a finding has at least this severity (error, warning, note) or a grade is worse than this one (grade:B). Combine both with a comma; never turns this off',
      { default: 'error' },
    ),
    baseline: text('FILE', 'Do not fail on the findings in this file', { completes: 'file' }),
    'write-baseline': flag('Write all current findings to that file', { requires: ['baseline'] }),
    compare: text(
      'FILE',
      'Print only the differences from this earlier report, which was written with --json, and fail only on new findings',
      { completes: 'file' },
    ),
    judge: text(
      'MODEL',
      'Let this model dismiss and add findings about language; the definitions are sent to it. The syntax is that of curfew --model',
    ),
    fix: flag('Apply safe rewrites to your tool.json and API files', {
      conflicts: ['mcp', 'judge', 'compare'],
    }),
  },
  notes: [
    'A tool\'s own file can list rules that do not apply to it, with a reason: "review": { "ignore": [{ "rule": "...", "reason": "..." }] }',
  ],
  examples: {
    'curfew review': 'Review the configured tools.',
    'curfew review --mcp "npx -y @modelcontextprotocol/server-memory"': 'Review the tools of an MCP server.',
    'curfew review tools/ --sarif -o review.sarif --fail-on error,grade:B': 'Review a folder in CI.',
    'curfew review tools.json --compare main.json --markdown': 'Describe the changes of a pull request.',
    'curfew review --judge openai-compatible:qwen3@http://127.0.0.1:8080/v1':
      'Have a local model check the findings.',
  },
  exitCodes: {
    0: 'Nothing reached --fail-on',
    1: 'A finding or a grade reached --fail-on',
    2: 'Something could not be reviewed',
  },
  seeAlso: ['curfew tools'],
  guide: 'review.md',
  run: async (input) => (await import('../review/run-review.ts')).runReview(input),
})
