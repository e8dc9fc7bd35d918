import { type Command, defineCommand, flag, text } from '../command.ts'

export const psCommand: Command = defineCommand({
  name: 'ps',
  summary: 'List running calls of all processes',
  description: [
    'Lists the calls of this project that have not ended, whichever program of Curfew runs them: the gateway, the agent or curfew call. A call inside another one is indented.',
  ],
  options: {
    all: flag('List the calls of every project'),
    watch: flag(
      'Keep the list up to date until you press Ctrl-C; without a terminal, print it whenever a call starts, ends or changes its state',
      { short: 'w' },
    ),
    json: flag(
      'Print one JSON object: { calls: [{ id, parent, tool, status, elapsedMs, timeoutMs, ... }], omitted }; with --watch, one per line',
    ),
  },
  notes: [
    'A process that does not respond within half a second is listed as it last recorded its calls. One in another container is marked as unknown if it does not respond, because it may have ended.',
  ],
  examples: {
    'curfew ps --watch': 'Watch what runs in this project.',
    "curfew ps --all --json | jq -r '.calls[] | select(.elapsedMs > 60000) | .id'":
      'List the ids of all calls that have been running for more than a minute.',
  },
  seeAlso: ['curfew cancel'],
  guide: 'journal.md',
  run: async (input) => (await import('../ps/run-ps.ts')).runPs(input),
})

export const cancelCommand: Command = defineCommand({
  name: 'cancel',
  summary: 'Cancel running calls of any process',
  description: [
    'Cancels calls and waits until they have ended. The result of a cancelled call says so, with the reason. Calls inside it are cancelled too.',
  ],
  arguments: {
    ids: { placeholder: 'ID', summary: 'The id of a call, as curfew ps lists it', multiple: true },
  },
  options: {
    reason: text('TEXT', 'Part of the result that the model gets'),
  },
  examples: {
    'curfew cancel m4tq-17': 'Cancel one call.',
    "curfew cancel m4tq-17 m4tq-18 --reason 'the server is down'":
      'Cancel two calls, and tell the model why.',
  },
  exitCodes: {
    0: 'All of them were cancelled',
    1: 'One of them had already ended, was not found, or cannot be reached',
  },
  seeAlso: ['curfew ps'],
  guide: 'journal.md',
  run: async (input) => (await import('../ps/run-cancel.ts')).runCancel(input),
})
