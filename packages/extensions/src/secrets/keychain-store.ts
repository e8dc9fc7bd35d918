import { attempt, parseJson } from '@curfew/core/internal'
import type { AsyncEntry } from '@napi-rs/keyring'
import { readStoredSecret, type SecretEntry, type SecretStore, type StoredSecret } from './secret-store.ts'

type Keyring = typeof import('@napi-rs/keyring')

const service = 'curfew'
/** Names are kept in a separate entry, because not every keychain can list its entries. */
const indexName = 'curfew:names'
/** Otherwise a machine without a Secret Service falls back to a kernel keyring, which is lost on reboot. */
const options = { linux: { store: 'secret-service' } } as const

/** Opens the keychain of the operating system, or returns why it is unavailable. */
export async function openKeychain(): Promise<KeychainStore | { readonly unavailable: string }> {
  let keyring: Keyring
  try {
    keyring = await import('@napi-rs/keyring')
  } catch {
    return { unavailable: '@napi-rs/keyring is not installed' }
  }
  try {
    await new keyring.AsyncEntry(service, indexName, options).getPassword()
    return new KeychainStore(keyring)
  } catch (error) {
    return { unavailable: (error as Error).message.split('\n', 1)[0]! }
  }
}

export class KeychainStore implements SecretStore {
  readonly where = 'the keychain'
  readonly #keyring: Keyring
  /** Keychains have no locks, so changes are serialized at least within this process. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(keyring: Keyring) {
    this.#keyring = keyring
  }

  async get(name: string): Promise<StoredSecret | null> {
    const text = await this.#entry(name).getPassword()
    return text == null ? null : readStoredSecret(parse(text))
  }

  async set(name: string, secret: StoredSecret): Promise<void> {
    await this.#serialize(async () => {
      await this.#entry(name).setPassword(JSON.stringify(secret))
      await this.#changeNames((names) => [...names.filter((known) => known !== name), name].sort())
    })
  }

  async update(name: string, change: (secret: StoredSecret) => StoredSecret): Promise<StoredSecret | null> {
    return await this.#serialize(async () => {
      const before = await this.get(name)
      if (before === null) return null
      const changed = change(before)
      if (changed !== before) await this.#entry(name).setPassword(JSON.stringify(changed))
      return changed
    })
  }

  async remove(name: string): Promise<boolean> {
    return await this.#serialize(async () => {
      const removed = await this.#entry(name).deleteCredential()
      await this.#changeNames((names) => names.filter((known) => known !== name))
      return removed
    })
  }

  async list(): Promise<readonly SecretEntry[]> {
    const entries: SecretEntry[] = []
    for (const name of await this.#names()) {
      const secret = await this.get(name)
      if (secret !== null) entries.push({ name, uses: secret.uses })
    }
    return entries
  }

  #serialize<T>(run: () => Promise<T>): Promise<T> {
    const done = this.#last.then(run)
    this.#last = done.catch(() => {})
    return done
  }

  #entry(name: string): AsyncEntry {
    return new this.#keyring.AsyncEntry(service, name, options)
  }

  async #names(): Promise<string[]> {
    const names = parse((await this.#entry(indexName).getPassword()) ?? '[]')
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []
  }

  async #changeNames(change: (names: readonly string[]) => string[]): Promise<void> {
    await this.#entry(indexName).setPassword(JSON.stringify(change(await this.#names())))
  }
}

function parse(text: string): unknown {
  return attempt(() => parseJson(text), null)
}
