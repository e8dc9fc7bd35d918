import { CurfewError } from '../errors/curfew-error.ts'

/** What the runtime knows of secrets. */
export interface Vault {
  /** False: nobody is asked for what could not be kept. */
  readonly canStore: boolean
  /** The value for this use; or why not. */
  read(name: string, use: string): Promise<SecretLookup>
  /** Keeps a value for this use, and for those it had if this is one of them; `null`: for whoever uses it first. */
  store(name: string, value: string, use: string | null): Promise<void>
  /** A person said that this use is fine too. */
  allow(name: string, use: string): Promise<void>
}

export type SecretLookup =
  | { readonly kind: 'found'; readonly value: string }
  | { readonly kind: 'missing' }
  /** It was stored for something else. */
  | { readonly kind: 'elsewhere'; readonly uses: readonly string[] }

type Environment = Readonly<Record<string, string | undefined>>

/** Secrets from the environment alone: nothing can be stored. */
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
  // Our own variables are not for tools: one of them opens the store.
  const value = Object.hasOwn(env, name) && !/^CURFEW_/i.test(name) ? env[name] : undefined
  return value === undefined || value === '' ? { kind: 'missing' } : { kind: 'found', value }
}
