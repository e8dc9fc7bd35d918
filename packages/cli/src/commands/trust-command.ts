import { type Command, defineCommand, flag } from '../command.ts'

export const trustCommand: Command = defineCommand({
  name: 'trust',
  summary: "Trust this project's .curfew, so that its tools are used",
  usage: ['', '--list', '--remove [FOLDER]'],
  description: [
    'The files in .curfew can run commands, so they are ignored until you trust the folder; review them first. Trust covers the whole folder, including later changes and links. CURFEW_TRUST=1 trusts it for one run.',
    'Gateways that are running (curfew mcp) use new or changed servers and looser rules of the project once you run this again.',
  ],
  arguments: {
    folder: {
      placeholder: 'FOLDER',
      summary: 'With --remove: another project, instead of the one you are in',
      optional: true,
      completes: 'folder',
    },
  },
  options: {
    list: flag('List trusted folders', { conflicts: ['remove'] }),
    remove: flag("Ignore the project's .curfew again"),
  },
  guide: 'configuration.md',
  run: async (input) => (await import('../trust/run-trust.ts')).runTrust(input),
})
