import { join } from 'node:path'
import { CurfewError, type Vault } from '@curfew/core'
import { isSecretName, type SecretLookup, secretFromEnvironment } from '@curfew/core/internal'
import { FileStore, keyFromEnvironment } from './file-store.ts'
import { openKeychain } from './keychain-store.ts'
import type { BoxKey } from './sealed-box.ts'
import type { SecretStore, StoredSecret } from './secret-store.ts'

/** A store, with the environment behind it for what the store does not have. */
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
      // A store that cannot be opened is no reason to fail if it is not needed.
      if (fallback.kind === 'found') return null
      throw error
    })
    if (stored === null) return fallback
    if (!stored.uses.includes(use)) return { kind: 'elsewhere', uses: stored.uses }
    return { kind: 'found', value: stored.value }
  }

  /** The first to use it is who it was stored for, unless that was said when it was stored. */
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
    // Typed for somebody new, it is not the key of the others.
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
  /** Where the key comes from if there is none in the environment: somebody may be asked. */
  readonly askPassphrase?: (() => Promise<string>) | undefined
}

/** What `createRuntime` takes: opened when a secret is first needed, with the environment as a fallback. */
export function openVault(options: OpenStoreOptions): Vault {
  return new StoreVault(() => openSecretStore(options), options.env ?? process.env)
}

/** The keychain where there is one, otherwise the encrypted file. `CURFEW_SECRET_STORE` may say `keychain` or `file`. */
export async function openSecretStore({
  root,
  env = process.env,
  askPassphrase,
}: OpenStoreOptions): Promise<SecretStore> {
  const wanted = env.CURFEW_SECRET_STORE ?? 'auto'
  if (!['auto', 'keychain', 'file'].includes(wanted)) {
    const message = `CURFEW_SECRET_STORE: ${JSON.stringify(wanted)} is unknown; write auto, keychain or file`
    throw new CurfewError('INVALID_OPTION', message, { field: 'CURFEW_SECRET_STORE' })
  }
  if (wanted !== 'file') {
    const keychain = await openKeychain()
    if (!('unavailable' in keychain)) return keychain
    if (wanted === 'keychain')
      throw new CurfewError('SECRETS_UNAVAILABLE', `the keychain cannot be used: ${keychain.unavailable}`)
  }
  return new FileStore(secretFile(root), boxKey(env, askPassphrase))
}

/** Where the secrets are if there is no keychain. */
export function secretFile(root: string): string {
  return join(root, 'secrets.json')
}

function boxKey(
  env: Readonly<NodeJS.ProcessEnv>,
  ask: (() => Promise<string>) | undefined,
): () => Promise<BoxKey> {
  const fromEnv = keyFromEnvironment(env)
  if (ask === undefined || env.CURFEW_KEY_FILE || env.CURFEW_PASSPHRASE) return fromEnv
  return async () => ({ kind: 'passphrase', passphrase: await ask() })
}

function once<T>(get: () => Promise<T>): () => Promise<T> {
  let got: Promise<T> | undefined
  return () => {
    got ??= get().catch((error: unknown) => {
      // The next one may try again.
      got = undefined
      throw error
    })
    return got
  }
}

/** A store has entries of its own beside the secrets, and a variable of the environment cannot have any name. */
function checkName(name: string): void {
  if (isSecretName(name)) return
  const message = `secrets: expected names of letters, digits and _ such as GITHUB_TOKEN, got ${JSON.stringify(name)}`
  throw new CurfewError('INVALID_TOOL', message, { field: 'secrets' })
}

function withUse(uses: readonly string[], use: string | null): readonly string[] {
  return use === null || uses.includes(use) ? uses : [...uses, use]
}
