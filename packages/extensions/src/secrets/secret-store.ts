export interface StoredSecret {
  readonly value: string
  /** The only hosts and tools that may use it, such as `host:api.example.com`; see `describeUse`. Empty until the first use. */
  readonly uses: readonly string[]
}

/** Stores secrets, never as plain text. Every method may reject with `SECRETS_UNAVAILABLE`. */
export interface SecretStore {
  /** For messages: `the keychain`, `the encrypted file /home/me/...`. */
  readonly where: string
  /** `null` if there is no such secret. */
  get(name: string): Promise<StoredSecret | null>
  set(name: string, secret: StoredSecret): Promise<void>
  /** Changes an existing secret atomically and returns it; `null` if there is no such secret. */
  update(name: string, change: (secret: StoredSecret) => StoredSecret): Promise<StoredSecret | null>
  /** Returns false if there is no such secret. */
  remove(name: string): Promise<boolean>
  /** Names and uses, never values. */
  list(): Promise<readonly SecretEntry[]>
}

export interface SecretEntry {
  readonly name: string
  readonly uses: readonly string[]
}

/** Validates an entry of a store; `null` if it was not written by Curfew. */
export function readStoredSecret(entry: unknown): StoredSecret | null {
  const { value, uses } = Object(entry) as Partial<StoredSecret>
  if (typeof value !== 'string' || !Array.isArray(uses)) return null
  return { value, uses: uses.filter((use) => typeof use === 'string') }
}
