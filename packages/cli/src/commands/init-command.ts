import { type Command, defineCommand } from '../command.ts'
import { projectOption, userOption } from './shared-options.ts'

export const initCommand: Command = defineCommand({
  name: 'init',
  summary: 'Create a config.json with the main settings explained',
  description: [
    "The file is written to this project's .curfew, or with --user to your own configuration folder, together with its JSON Schema, so that editors can complete it. The settings are commented out, except for empty approval rules. An existing config.json is not changed.",
  ],
  options: {
    project: { ...projectOption, summary: `${projectOption.summary}; the default` },
    user: userOption,
  },
  seeAlso: ['curfew config', 'curfew trust'],
  guide: 'configuration.md',
  run: async ({ user }) => (await import('../init/run-init.ts')).runInit(user),
})
