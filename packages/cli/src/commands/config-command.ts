import { type Command, defineCommand, flag } from '../command.ts'
import { projectOption, setOption, userOption } from './shared-options.ts'

const keyNotes = [
  'A key is written as curfew config lists it. In tools.PATTERN.SETTING, the pattern may contain dots; quote it for your shell.',
]

const configSetCommand: Command = defineCommand({
  name: 'set',
  summary: 'Write settings to config.json',
  description: [
    'Comments and formatting of the rest of the file are kept. Nothing is written if a key or a value is invalid, or if a project may not set it.',
  ],
  arguments: {
    assignments: {
      placeholder: 'KEY=VALUE',
      summary:
        'A setting and its value. A duration needs a unit (5s); a list is a JSON array, which replaces the whole list',
      multiple: true,
    },
  },
  options: {
    user: { ...userOption, summary: `${userOption.summary}; the default` },
    project: projectOption,
  },
  notes: keyNotes,
  examples: {
    "curfew config set 'tools.mcp__github__*.timeout=5s'": 'Limit the calls of all tools of one MCP server.',
    'curfew config set --project limits.depth=3 view=full': 'Write two settings for this project.',
  },
  seeAlso: ['curfew config', 'curfew tools'],
  guide: 'configuration.md',
  run: async (input) => (await import('../config/run-config-set.ts')).runConfigSet(input),
})

const configGetCommand: Command = defineCommand({
  name: 'get',
  summary: 'Print the effective value of a setting',
  description: [
    'The value is printed as curfew config set accepts it; for a group such as limits, its settings are listed with their sources. The exit code is 1 if there is no value.',
  ],
  arguments: { key: { placeholder: 'KEY', summary: 'A setting, or a group of settings' } },
  options: {
    json: flag('Print one JSON object: { settings, problems }; durations are milliseconds'),
  },
  notes: keyNotes,
  examples: {
    'curfew config get toolCallTimeout': 'Print one value.',
  },
  guide: 'configuration.md',
  run: async (input) => (await import('../config/run-config.ts')).runConfigGet(input),
})

const configUnsetCommand: Command = defineCommand({
  name: 'unset',
  summary: 'Remove settings from config.json',
  description: ['Comments and formatting of the rest of the file are kept.'],
  arguments: {
    keys: { placeholder: 'KEY', summary: 'A setting, or a group such as tools.PATTERN', multiple: true },
  },
  options: {
    user: { ...userOption, summary: 'Remove them from your own configuration folder; the default' },
    project: { ...projectOption, summary: "Remove them from this project's .curfew" },
  },
  notes: keyNotes,
  examples: {
    "curfew config unset 'tools.mcp__github__*'": 'Remove all settings for these tools.',
  },
  guide: 'configuration.md',
  run: async (input) => (await import('../config/run-config-set.ts')).runConfigUnset(input),
})

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
    json: flag('Print one JSON object: { settings, problems }; durations are milliseconds', {
      conflicts: ['schema'],
    }),
    schema: flag('Print the JSON Schema of config.json'),
  },
  examples: {
    'curfew config --set toolCallTimeout=30s':
      'Show the settings with this change. A duration needs a unit here.',
  },
  subcommands: [configSetCommand, configGetCommand, configUnsetCommand],
  missingSubcommands: { list: 'curfew config lists all settings.', rm: 'Use curfew config unset.' },
  seeAlso: ['curfew init', 'curfew doctor'],
  guide: 'configuration.md',
  run: async (input) => (await import('../config/run-config.ts')).runConfig(input),
})

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
