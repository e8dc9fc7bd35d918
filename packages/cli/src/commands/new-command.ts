import { type Command, defineCommand, text } from '../command.ts'
import { projectOption, userOption } from './shared-options.ts'

const scopeOptions = {
  project: { ...projectOption, summary: `${projectOption.summary}; the default` },
  user: userOption,
} as const

const nameArgument = {
  placeholder: 'NAME',
  summary: 'The name of the tool: up to 64 letters, digits, _ and -',
} as const

const newScriptCommand: Command = defineCommand({
  name: 'script',
  summary: 'Create a script tool: a tool.json and the script it runs',
  arguments: { name: nameArgument },
  options: {
    lang: {
      type: 'choice',
      choices: ['js', 'py', 'sh'],
      placeholder: 'LANG',
      default: 'js',
      summary: 'Language of the script: js, py or sh',
    },
    ...scopeOptions,
  },
  examples: {
    'curfew new script weather': 'Create script_weather in this project.',
    'curfew new script weather --lang py --user': 'In Python, for all your projects.',
  },
  guide: 'tools-from-files.md',
  run: async (input) => (await import('../new/run-new-script.ts')).runNewScript(input),
})

const newApiCommand: Command = defineCommand({
  name: 'api',
  summary: 'Create an API tool: one file that describes an HTTP request',
  description: [
    'With --curl, query parameters, body fields, and OWNER, :id, <id> or {id} in the path become parameters. Keys become secrets, and their values are not written to the file. Except for GET and HEAD, values become examples, never defaults.',
  ],
  arguments: { name: nameArgument },
  options: {
    curl: text('COMMAND', 'Create the tool from this curl command; "-" reads it from standard input'),
    ...scopeOptions,
  },
  examples: {
    'curfew new api weather': 'Create api_weather, which you then edit.',
    "curfew new api repo --curl 'curl https://api.github.com/repos/OWNER/REPO'":
      'Create it from a curl command in the documentation of an API.',
  },
  usageHint: (args) =>
    args.some((arg) => /^--curl(=|$)/.test(arg))
      ? "Quotes inside the curl command probably ended it early; pass it as a here-document: curfew new api NAME --curl - <<'END', then the command, then END on its own line."
      : null,
  guide: 'tools-from-files.md',
  run: async (input) => (await import('../new/run-new-api.ts')).runNewApi(input),
})

export const newCommand: Command = defineCommand({
  name: 'new',
  summary: 'Create a working tool for you to edit',
  subcommands: [newScriptCommand, newApiCommand],
  seeAlso: ['curfew call', 'curfew tools'],
  guide: 'tools-from-files.md',
})
