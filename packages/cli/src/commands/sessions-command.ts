import { type Command, defineCommand, flag } from '../command.ts'

const sessionsRemoveCommand: Command = defineCommand({
  name: 'remove',
  summary: 'Remove saved conversations',
  arguments: {
    ids: {
      placeholder: 'ID',
      summary: 'The id, or its last part (k3f) if no other conversation has the same',
      multiple: true,
    },
  },
  examples: {
    'curfew sessions remove k3f': 'Remove one conversation.',
  },
  guide: 'headless.md',
  run: async (input) => (await import('../sessions/run-sessions.ts')).runRemoveSessions(input),
})

export const sessionsCommand: Command = defineCommand({
  name: 'sessions',
  summary: 'List and remove saved conversations',
  description: [
    'Conversations are saved while they take place, in $XDG_STATE_HOME/curfew (~/.local/state/curfew). To continue one: curfew --resume ID -p PROMPT. Those that were not used for 30 days are removed.',
  ],
  options: {
    all: flag('List the conversations about every project'),
    json: flag(
      'Print one JSON object: { sessions: [{ id, project, model, createdAt, updatedAt, turns, prompt, bytes, path }] }',
    ),
  },
  subcommands: [sessionsRemoveCommand],
  missingSubcommands: {
    list: 'curfew sessions lists them.',
    rm: 'Use curfew sessions remove.',
    delete: 'Use curfew sessions remove.',
    resume: 'Use curfew --resume ID -p PROMPT.',
  },
  guide: 'headless.md',
  run: async (input) => (await import('../sessions/run-sessions.ts')).runSessions(input),
})
