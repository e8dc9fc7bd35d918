import { CurfewError } from '../errors/curfew-error.ts'
import { described, objectSchema } from '../schema/object-schema.ts'
import { isSecretName } from '../secrets/secret-name.ts'
import { defineToolFrom } from '../tool/define-tool.ts'
import type { Tool } from '../tool/tool.ts'

export interface StoredReport {
  readonly stored: string
  readonly next: string
}

/** Lets a model request a key. It has no parameter for the value, which goes from the person to the vault. */
export const storeSecretTool: Tool<never, StoredReport> = defineToolFrom(
  {
    name: 'store_secret',
    description: 'Ask the person for a secret, such as an API key, and store it.',
    usage:
      'Use it when a tool fails because a credential is missing or invalid; then call that tool again. ' +
      'Not for values that are already known: it has no parameter for one. Returns the name that was stored, never the value, and fails if the person declines.',
    parameters: objectSchema(['key'], {
      key: { type: 'string', minLength: 1, description: "The secret's name, such as GITHUB_TOKEN." },
      tool: described(
        { type: 'string', default: '' },
        'The name of the tool that needs it; empty if it is not known yet.',
      ),
    }),
    alwaysLoad: true,
    destructive: true,
    openWorld: false,
    async execute({ key, tool }, context) {
      if (!isSecretName(key)) {
        const message = `key: expected a name of letters, digits and _, got ${JSON.stringify(key)}`
        throw new CurfewError('INVALID_PARAMS', message, { field: 'params.key' })
      }
      await context.requestSecret({ key, tool: tool === '' ? undefined : tool })
      return { stored: key, next: 'Call the tool that needs it again.' }
    },
  },
  // Typing the secret is the approval.
  { adapter: 'builtin', promptsItself: true },
)
