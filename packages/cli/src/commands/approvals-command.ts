import { type Command, defineCommand, flag } from '../command.ts'

const folderOption = {
  type: 'string',
  placeholder: 'FOLDER',
  completes: 'folder',
} as const

const approvalsRemoveCommand: Command = defineCommand({
  name: 'remove',
  summary: 'Remove remembered answers, so that you are asked again',
  usage: ['RULE... [--folder FOLDER]', '--all-rules [--folder FOLDER]'],
  description: ['A removal also applies to programs that are running, such as curfew mcp.'],
  arguments: {
    rules: {
      placeholder: 'RULE',
      summary: 'The rule as curfew approvals lists it, in quotes',
      optional: true,
      multiple: true,
    },
  },
  options: {
    'all-rules': flag('Remove all answers of the project'),
    folder: { ...folderOption, summary: 'Another project, which may no longer exist' },
  },
  examples: {
    "curfew approvals remove 'write_file(src/*)'": 'Remove one answer of this project.',
    'curfew approvals remove --all-rules --folder ~/old-shop': 'Remove all answers of another project.',
  },
  guide: 'configuration.md',
  run: async (input) => (await import('../approvals/run-approvals.ts')).runRemoveApprovals(input),
})

export const approvalsCommand: Command = defineCommand({
  name: 'approvals',
  summary: 'List and remove the answers remembered for this project',
  description: [
    'If you answer "always" when a call needs your approval, the answer is remembered in your own configuration folder (approvals.json), for this project only: the folder with .curfew, or the current directory. Rules that deny a call still apply.',
  ],
  options: {
    all: flag('List the answers of every project', { conflicts: ['folder'] }),
    folder: { ...folderOption, summary: 'List those of another project' },
    json: flag('Print one JSON object: { projects: [{ project, approvals: [{ rule, addedAt }] }] }'),
  },
  subcommands: [approvalsRemoveCommand],
  missingSubcommands: {
    list: 'curfew approvals lists them.',
    rm: 'Use curfew approvals remove.',
    delete: 'Use curfew approvals remove.',
    clear: 'Use curfew approvals remove --all-rules.',
    add: 'To allow calls, add rules to approval.rules.allow in config.json.',
  },
  seeAlso: ['curfew config', 'curfew trust'],
  guide: 'configuration.md',
  run: async (input) => (await import('../approvals/run-approvals.ts')).runListApprovals(input),
})
