import { type Command, defineCommand, text } from '../command.ts'

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
