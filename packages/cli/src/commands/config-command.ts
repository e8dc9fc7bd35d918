import { type Command, defineCommand } from '../command.ts'
import { setOption } from './shared-options.ts'

export const configCommand: Command = defineCommand({
  name: 'config',
  summary: 'Show every setting with its value and where it is set',
  description: [
    "A setting comes from its default, your config.json, this project's config.json, an environment variable, or --set; the last of these that sets it wins. A project cannot loosen your approval rules or raise your maxToolCallTimeout.",
    'Invalid settings in a file are reported on standard error; the others still apply.',
  ],
  options: {
    set: {
      ...setOption,
      summary:
        'Show the settings with this change, as in limits.depth=3; repeated rules add up, for other settings the last value wins',
    },
    json: {
      type: 'boolean',
      conflicts: ['schema'],
      summary: 'Print one JSON object: { settings, problems }; durations are milliseconds',
    },
    schema: { type: 'boolean', summary: 'Print the JSON Schema of config.json' },
  },
  examples: [
    {
      command: 'curfew config --set toolCallTimeout=30s',
      summary: 'Show the settings with this change. A duration needs a unit here.',
    },
  ],
  seeAlso: ['curfew init', 'curfew doctor'],
  guide: 'configuration.md',
  run: async (input) => (await import('../config/run-config.ts')).runConfig(input),
})
