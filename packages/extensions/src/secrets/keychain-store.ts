import { parseJson } from '@curfew/core/internal'
import type { AsyncEntry } from '@napi-rs/keyring'
import { readStoredSecret, type SecretEntry, type SecretStore, type StoredSecret } from './secret-store.ts'

type Keyring = typeof import('@napi-rs/keyring')

const service = 'curfew'
/** The names are kept in an entry of their own: not every keychain can list what it has. */
const indexName = 'curfew:names'
/** Without this a machine that has no Secret Service falls back to a kernel keyring, which is gone after a reboot. */
const options = { linux: { store: 'secret-service' } } as const

/** The keychain of the operating system; `null`, with the reason, where there is none. */
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
  /** A keychain has no locks; at least we ourselves take turns. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(keyring: Keyring) {
    this.#keyring = keyring
  }

  async get(name: string): Promise<StoredSecret | null> {
    const text = await this.#entry(name).getPassword()
    return text == null ? null : readStoredSecret(parse(text))
  }

  async set(name: string, secret: StoredSecret): Promise<void> {
    await this.#inTurn(async () => {
      await this.#entry(name).setPassword(JSON.stringify(secret))
      await this.#changeNames((names) => [...names.filter((known) => known !== name), name].sort())
    })
  }

  async update(name: string, change: (secret: StoredSecret) => StoredSecret): Promise<StoredSecret | null> {
    return await this.#inTurn(async () => {
      const before = await this.get(name)
      if (before === null) return null
      const changed = change(before)
      if (changed !== before) await this.#entry(name).setPassword(JSON.stringify(changed))
      return changed
    })
  }

  async remove(name: string): Promise<boolean> {
    return await this.#inTurn(async () => {
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

  #inTurn<T>(run: () => Promise<T>): Promise<T> {
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
  try {
    return parseJson(text)
  } catch {
    return null
  }
}
