import { type Command, defineCommand } from '../command.ts'

export const helpCommand: Command = defineCommand({
  name: 'help',
  summary: 'Show help for a command',
  arguments: {
    command: {
      placeholder: 'COMMAND',
      summary: 'The command, with its subcommand if any',
      optional: true,
      multiple: true,
    },
  },
  examples: {
    'curfew help mcp add': 'The same as curfew mcp add --help.',
  },
  usageHint: (args) =>
    args.some((arg) => arg.startsWith('-')) ? 'curfew --help describes the options of curfew -p.' : null,
  run: async ({ command }) => (await import('../command-line/run-help.ts')).runHelp(command),
})
