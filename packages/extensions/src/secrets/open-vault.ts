import { join } from 'node:path'
import { CurfewError, type Vault } from '@curfew/core'
import { isSecretName, type SecretLookup, secretFromEnvironment } from '@curfew/core/internal'
import { FileStore, keyFromEnvironment } from './file-store.ts'
import { openKeychain } from './keychain-store.ts'
import type { BoxKey } from './sealed-box.ts'
import type { SecretStore, StoredSecret } from './secret-store.ts'

/** A secret store with environment variables as a fallback. */
export class StoreVault implements Vault {
  readonly canStore = true
  readonly #open: () => Promise<SecretStore>
  readonly #env: Readonly<NodeJS.ProcessEnv>

  constructor(open: () => Promise<SecretStore>, env: Readonly<NodeJS.ProcessEnv>) {
    this.#open = once(open)
    this.#env = env
  }

  async read(name: string, use: string): Promise<SecretLookup> {
    checkName(name)
    const fallback = secretFromEnvironment(this.#env, name)
    const stored = await this.#find(name, use).catch((error: unknown) => {
      // A store that cannot be opened is not needed if the environment has the secret.
      if (fallback.kind === 'found') return null
      throw error
    })
    if (stored === null) return fallback
    if (!stored.uses.includes(use)) return { kind: 'elsewhere', uses: stored.uses }
    return { kind: 'found', value: stored.value, from: 'store' }
  }

  /** A secret that was stored without a use is bound to the first one. */
  async #find(name: string, use: string): Promise<StoredSecret | null> {
    const store = await this.#open()
    const stored = await store.get(name)
    if (stored === null || stored.uses.length > 0) return stored
    return await store.update(name, (secret) =>
      secret.uses.length > 0 ? secret : { ...secret, uses: [use] },
    )
  }

  async store(name: string, value: string, use: string | null): Promise<void> {
    checkName(name)
    const store = await this.#open()
    // A value that was entered for a new use must not be used for the others.
    const replaced = await store.update(name, ({ uses }) => ({
      value,
      uses: use === null || uses.includes(use) ? uses : [use],
    }))
    if (replaced === null) await store.set(name, { value, uses: withUse([], use) })
  }

  async allow(name: string, use: string): Promise<void> {
    const store = await this.#open()
    await store.update(name, (secret) => ({ ...secret, uses: withUse(secret.uses, use) }))
  }
}

export interface OpenStoreOptions {
  /** The user's configuration folder. */
  readonly root: string
  /** @default process.env */
  readonly env?: Readonly<NodeJS.ProcessEnv> | undefined
  /** Asks the user for the passphrase if the environment has no key. */
  readonly askPassphrase?: (() => Promise<string>) | undefined
}

/** Creates a vault for `createRuntime`. It is opened when a secret is first needed, with the environment as a fallback. */
export function openVault(options: OpenStoreOptions): Vault {
  return new StoreVault(() => openSecretStore(options), options.env ?? process.env)
}

/** Opens the keychain, or the encrypted file if there is none. `CURFEW_SECRET_STORE` can force `keychain` or `file`. */
export async function openSecretStore({
  root,
  env = process.env,
  askPassphrase,
}: OpenStoreOptions): Promise<SecretStore> {
  const kind = env.CURFEW_SECRET_STORE ?? 'auto'
  if (!['auto', 'keychain', 'file'].includes(kind)) {
    const message = `CURFEW_SECRET_STORE: expected auto, keychain or file, got ${JSON.stringify(kind)}`
    throw new CurfewError('INVALID_OPTION', message, { field: 'CURFEW_SECRET_STORE' })
  }
  if (kind !== 'file') {
    const keychain = await openKeychain()
    if (!('unavailable' in keychain)) return keychain
    if (kind === 'keychain')
      throw new CurfewError('SECRETS_UNAVAILABLE', `the keychain is not available: ${keychain.unavailable}`)
  }
  return new FileStore(secretFile(root), encryptionKey(env, askPassphrase))
}

/** The path of the encrypted file. */
export function secretFile(root: string): string {
  return join(root, 'secrets.json')
}

function encryptionKey(
  env: Readonly<NodeJS.ProcessEnv>,
  ask: (() => Promise<string>) | undefined,
): () => Promise<BoxKey> {
  const fromEnvironment = keyFromEnvironment(env)
  if (ask === undefined || env.CURFEW_KEY_FILE || env.CURFEW_PASSPHRASE) return fromEnvironment
  return async () => ({ kind: 'passphrase', passphrase: await ask() })
}

/** Caches the result, but not a failure. */
function once<T>(run: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => {
    result ??= run().catch((error: unknown) => {
      result = undefined
      throw error
    })
    return result
  }
}

/** Stores also have internal entries, and environment variables do not allow every name. */
function checkName(name: string): void {
  if (isSecretName(name)) return
  const message = `secrets: expected names of letters, digits and _ such as GITHUB_TOKEN, got ${JSON.stringify(name)}`
  throw new CurfewError('INVALID_TOOL', message, { field: 'secrets' })
}

function withUse(uses: readonly string[], use: string | null): readonly string[] {
  return use === null || uses.includes(use) ? uses : [...uses, use]
}
