/** A secret as it is kept. */
export interface StoredSecret {
  readonly value: string
  /** The only places that may get it, such as `host:api.example.com`; see `describeUse`. Empty until it is first used. */
  readonly uses: readonly string[]
}

/** Where secrets are kept. Everything may fail loudly; nothing is ever kept as plain text. */
export interface SecretStore {
  /** For people: `the keychain`, `the encrypted file /home/me/...`. */
  readonly where: string
  /** `null` if there is none of this name. */
  get(name: string): Promise<StoredSecret | null>
  set(name: string, secret: StoredSecret): Promise<void>
  /** Changes one that is there, with nobody else in between; returns what it is then. */
  update(name: string, change: (secret: StoredSecret) => StoredSecret): Promise<StoredSecret | null>
  /** False if there was none. */
  remove(name: string): Promise<boolean>
  /** Names and uses, never values. */
  list(): Promise<readonly SecretEntry[]>
}

export interface SecretEntry {
  readonly name: string
  readonly uses: readonly string[]
}

/** What a store kept, if it is what we once put there. */
export function readStoredSecret(kept: unknown): StoredSecret | null {
  const { value, uses } = Object(kept) as Partial<StoredSecret>
  if (typeof value !== 'string' || !Array.isArray(uses)) return null
  return { value, uses: uses.filter((use) => typeof use === 'string') }
}
