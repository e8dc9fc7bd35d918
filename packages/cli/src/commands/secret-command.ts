import { type Command, defineCommand, flag, text } from '../command.ts'

const nameArgument = {
  placeholder: 'NAME',
  summary: 'The name of the secret: letters, digits and _, as in GITHUB_TOKEN',
} as const

const secretSetCommand: Command = defineCommand({
  name: 'set',
  summary: 'Store a secret',
  description: [
    'You are prompted for the value, which is not shown, or it is read from a pipe. It is never printed. A secret may only be used by the hosts and tools it was stored for; any other use needs your approval.',
  ],
  arguments: { name: nameArgument },
  options: {
    for: text(
      'HOST|TOOL',
      'Who may use it: a host (api.github.com), your own tool (script_deploy) or MCP server (mcp__github), or one that a project defines ("script_deploy of /home/me/shop"). Without it, an existing secret keeps its uses, and a new one is bound to the first host or tool that uses it',
      { multiple: true },
    ),
  },
  examples: {
    'curfew secret set GITHUB_TOKEN --for api.github.com':
      'Prompt for the value, and allow only this host to receive it.',
    'pass github | curfew secret set GITHUB_TOKEN': 'Read the value from a pipe.',
  },
  unexpectedArgument:
    'a value on the command line is visible to other users of this machine; leave it out, and enter it at the prompt',
  guide: 'secrets.md',
  run: async (input) => (await import('../secret/run-secret.ts')).setSecret(input),
})

const secretListCommand: Command = defineCommand({
  name: 'list',
  summary: 'List secret names and who may use them',
  options: {
    json: flag('Print one JSON object: { store, secrets: [{ name, uses }] }'),
  },
  guide: 'secrets.md',
  run: async ({ json }) => (await import('../secret/run-secret.ts')).listSecrets(json),
})

const secretRemoveCommand: Command = defineCommand({
  name: 'rm',
  summary: 'Remove a secret',
  arguments: { name: nameArgument },
  examples: {
    'curfew secret rm GITHUB_TOKEN': 'Remove it from the store.',
  },
  guide: 'secrets.md',
  run: async ({ name }) => (await import('../secret/run-secret.ts')).removeSecret(name),
})

export const secretCommand: Command = defineCommand({
  name: 'secret',
  summary: 'Store, list and remove the keys that tools need',
  description: [
    "Secrets are stored in your system's keychain. If there is none, they are stored in an encrypted file, which CURFEW_PASSPHRASE or CURFEW_KEY_FILE opens; on a terminal, you are prompted for the passphrase.",
  ],
  subcommands: [secretSetCommand, secretListCommand, secretRemoveCommand],
  missingSubcommands: {
    remove: 'Use curfew secret rm.',
    delete: 'Use curfew secret rm.',
    get: 'Values are never printed; curfew secret list shows the names.',
  },
  guide: 'secrets.md',
})
