import { CurfewError } from '../errors/curfew-error.ts'

/** Where the runtime reads and stores secrets. */
export interface Vault {
  /** If false, the runtime does not prompt for secrets, because it could not store them. */
  readonly canStore: boolean
  /** Looks up the value for this use. */
  read(name: string, use: string): Promise<SecretLookup>
  /** Stores a value for this use, keeping its existing uses if this is one of them; `null` binds it to its first use. */
  store(name: string, value: string, use: string | null): Promise<void>
  /** Adds a use that a person has approved. */
  allow(name: string, use: string): Promise<void>
}

export type SecretLookup =
  | {
      readonly kind: 'found'
      readonly value: string
      /** Where it was found, for people. */
      readonly from?: 'environment' | 'store'
    }
  | { readonly kind: 'missing' }
  /** It is bound to other uses. */
  | { readonly kind: 'elsewhere'; readonly uses: readonly string[] }

type Environment = Readonly<Record<string, string | undefined>>

/** Reads secrets from the environment only; nothing can be stored. */
export function environmentVault(env: Environment = process.env): Vault {
  return {
    canStore: false,
    read: async (name) => secretFromEnvironment(env, name),
    async store(name) {
      throw new CurfewError(
        'SECRETS_UNAVAILABLE',
        `${name} cannot be stored: pass \`vault\` to createRuntime, or set ${name} in the environment`,
      )
    },
    async allow() {},
  }
}

export function secretFromEnvironment(env: Environment, name: string): SecretLookup {
  // Not for tools: one of Curfew's own variables unlocks the secret store.
  const value = Object.hasOwn(env, name) && !/^CURFEW_/i.test(name) ? env[name] : undefined
  return value === undefined || value === ''
    ? { kind: 'missing' }
    : { kind: 'found', value, from: 'environment' }
}
