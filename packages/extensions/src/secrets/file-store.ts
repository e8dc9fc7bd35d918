import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { CurfewError } from '@curfew/core'
import { messageOf, parseJson, readSmallFile, replaceFile, withLock } from '@curfew/core/internal'
import { type BoxKey, openBox, sealBox } from './sealed-box.ts'
import { readStoredSecret, type SecretEntry, type SecretStore, type StoredSecret } from './secret-store.ts'

const maxFileBytes = 64 * 2 ** 20

type Content = ReadonlyMap<string, StoredSecret>

/** An encrypted file that only its owner can read, for systems without a keychain. */
export class FileStore implements SecretStore {
  readonly where: string
  readonly #file: string
  readonly #key: () => Promise<BoxKey>
  #cachedKey: Promise<BoxKey> | null = null
  /** Decryption takes half a second on purpose, so the content is cached until the file changes. */
  #opened: { readonly sealed: string; readonly content: Content } | null = null

  /** The key is requested on first use: reading a missing file needs none. */
  constructor(file: string, key: () => Promise<BoxKey>) {
    this.#file = file
    this.#key = key
    this.where = `the encrypted file ${file}`
  }

  async get(name: string): Promise<StoredSecret | null> {
    return (await this.#read()).get(name) ?? null
  }

  async set(name: string, secret: StoredSecret): Promise<void> {
    await this.#change((content) => content.set(name, secret) !== undefined)
  }

  async update(name: string, change: (secret: StoredSecret) => StoredSecret): Promise<StoredSecret | null> {
    let changed: StoredSecret | null = null
    await this.#change((content) => {
      const before = content.get(name)
      if (before === undefined) return false
      changed = change(before)
      if (changed === before) return false
      content.set(name, changed)
      return true
    })
    return changed
  }

  async remove(name: string): Promise<boolean> {
    // Avoids asking for a passphrase if there is nothing to remove.
    if (!(await this.#read()).has(name)) return false
    return await this.#change((content) => content.delete(name))
  }

  async list(): Promise<readonly SecretEntry[]> {
    return [...(await this.#read())].map(([name, { uses }]) => ({ name, uses }))
  }

  async #read(): Promise<Content> {
    let sealed: string | undefined
    try {
      sealed = readSmallFile(this.#file, maxFileBytes)?.toString()
    } catch (error) {
      throw new CurfewError('SECRETS_UNAVAILABLE', `${this.#file}: ${messageOf(error)}`, { cause: error })
    }
    if (sealed === undefined) return new Map()
    if (this.#opened?.sealed !== sealed) {
      this.#opened = { sealed, content: await this.#decrypt(sealed) }
    }
    return this.#opened.content
  }

  async #decrypt(sealed: string): Promise<Content> {
    try {
      return readContent(Object(parseJson(await openBox(sealed, await this.#getKey(), this.#file))))
    } catch (error) {
      // Allows another attempt after a wrong passphrase.
      this.#cachedKey = null
      throw error
    }
  }

  async #getKey(): Promise<BoxKey> {
    this.#cachedKey ??= this.#key()
    try {
      return await this.#cachedKey
    } catch (error) {
      this.#cachedKey = null
      throw error
    }
  }

  async #change(change: (content: Map<string, StoredSecret>) => boolean): Promise<boolean> {
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 })
    // Before taking the lock, because the user may have to type it.
    const key = await this.#getKey()
    return await withLock(this.#file, async () => {
      const content = new Map(await this.#read())
      if (!change(content)) return false
      const sealed = await sealBox(JSON.stringify(Object.fromEntries(content)), key)
      await replaceFile(this.#file, sealed)
      this.#opened = { sealed, content }
      return true
    }).catch((error: unknown) => {
      if (error instanceof CurfewError) throw error
      throw new CurfewError('SECRETS_UNAVAILABLE', `the secret was not stored: ${messageOf(error)}`, {
        cause: error,
      })
    })
  }
}

function readContent(entries: object): Content {
  const content = new Map<string, StoredSecret>()
  for (const [name, entry] of Object.entries(entries)) {
    const secret = readStoredSecret(entry)
    if (secret !== null) content.set(name, secret)
  }
  return content
}

/** Reads the encryption key from `CURFEW_KEY_FILE` or `CURFEW_PASSPHRASE`. Rejects if neither is set. */
export function keyFromEnvironment(env: Readonly<NodeJS.ProcessEnv>): () => Promise<BoxKey> {
  return async () => {
    const { CURFEW_PASSPHRASE: passphrase, CURFEW_KEY_FILE: path } = env
    if (path !== undefined && path !== '') return await readKeyFile(path)
    if (passphrase !== undefined && passphrase !== '') return { kind: 'passphrase', passphrase }
    throw new CurfewError(
      'SECRETS_UNAVAILABLE',
      'no keychain is available, and there is no key for the encrypted file; set CURFEW_PASSPHRASE, or set CURFEW_KEY_FILE ' +
        'to a file of random bytes that only you can read (umask 077; head -c 32 /dev/urandom > FILE)',
    )
  }
}

async function readKeyFile(path: string): Promise<BoxKey> {
  const problem = (message: string): CurfewError =>
    new CurfewError('SECRETS_UNAVAILABLE', `CURFEW_KEY_FILE: ${path} ${message}`, {
      field: 'CURFEW_KEY_FILE',
    })
  let bytes: Buffer | null
  try {
    bytes = readSmallFile(path, maxFileBytes)
  } catch (error) {
    throw problem(messageOf(error))
  }
  if (bytes === null) throw problem('does not exist')
  const { mode } = await stat(path)
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    throw problem(`is readable by other users; run: chmod 600 ${path}`)
  if (bytes.length < 32) throw problem(`must have at least 32 bytes, but has ${bytes.length}`)
  return { kind: 'file', bytes, path }
}
