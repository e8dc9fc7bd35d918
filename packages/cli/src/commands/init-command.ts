import { type Command, defineCommand } from '../command.ts'
import { projectOption, userOption } from './shared-options.ts'

export const initCommand: Command = defineCommand({
  name: 'init',
  summary: 'Create a config.json with every setting explained',
  description: [
    "It goes to this project's .curfew unless --user is set, together with its JSON Schema, so that editors can complete it. Every setting is commented out. An existing config.json is left as it is.",
  ],
  options: {
    project: { ...projectOption, summary: `${projectOption.summary}; the default` },
    user: userOption,
  },
  seeAlso: ['curfew config', 'curfew trust'],
  guide: 'configuration.md',
  run: async ({ user }) => (await import('../init/run-init.ts')).runInit(user),
})
