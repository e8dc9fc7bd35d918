import { type Command, defineCommand, flag } from '../command.ts'
import { setOption, timeoutOption } from './shared-options.ts'

export const callCommand: Command = defineCommand({
  name: 'call',
  summary: 'Call one tool and show its result',
  usage: ['[OPTIONS] TOOL [JSON] [NAME=VALUE]... [NAME:=JSON]...'],
  description: [
    "On a terminal, the tool's output is shown while it runs, followed by the rest of its result. Otherwise, and with --json, one JSON object is printed. You are not asked for approval, since you typed the call; deny rules (approval.rules.deny) still apply.",
  ],
  arguments: {
    tool: { placeholder: 'TOOL', summary: 'The name of the tool; curfew tools lists all tools' },
    params: {
      placeholder: 'JSON, NAME=VALUE, NAME:=JSON',
      summary:
        'Its parameters: one JSON object ("-" reads it from standard input), NAME=VALUE pairs, or both. VALUE is converted to the type in the tool\'s schema; repeat NAME for an array. NAME:=JSON passes any JSON',
      optional: true,
      multiple: true,
    },
  },
  options: {
    timeout: {
      ...timeoutOption,
      summary:
        "Time limit for this call, instead of the tool's own: seconds, or a number with a unit (250ms, 2m)",
    },
    set: setOption,
    value: flag(
      'Print only the value: a string as it is, anything else as JSON. If the call fails, print only the error, on standard error',
      { conflicts: ['json'] },
    ),
    json: flag(
      'Print one JSON object: { id, name, status, value or code and message, content, output, durationMs, timeoutMs, ... }',
    ),
  },
  examples: {
    'curfew call sleep seconds=1': 'Call the built-in tool sleep.',
    'curfew call script_weather \'{"city": "Paris"}\' --timeout 5':
      'Pass JSON, and end the call after five seconds.',
    'curfew call mcp__github__search q=curfew --value | jq .total': 'Pipe the value to another program.',
  },
  exitCodes: {
    0: 'The call succeeded',
    1: 'The call failed',
    2: 'There is no such tool, or the arguments are invalid',
    124: 'The call timed out',
    130: 'The call was cancelled, for example by Ctrl-C',
  },
  seeAlso: ['curfew tools', 'curfew config'],
  run: async (input) => (await import('../call/run-call.ts')).runCall(input),
})
