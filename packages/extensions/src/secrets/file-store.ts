import { mkdir, readFile, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { CurfewError } from '@curfew/core'
import { messageOf, parseJson } from '@curfew/core/internal'
import { replaceFile } from '../files/replace-file.ts'
import { withLock } from '../files/with-lock.ts'
import { type BoxKey, openBox, sealBox } from './sealed-box.ts'
import { readStoredSecret, type SecretEntry, type SecretStore, type StoredSecret } from './secret-store.ts'

type Content = ReadonlyMap<string, StoredSecret>

/** Where there is no keychain: one file, encrypted, readable by its owner alone. */
export class FileStore implements SecretStore {
  readonly where: string
  readonly #file: string
  readonly #key: () => Promise<BoxKey>
  #keyInUse: Promise<BoxKey> | null = null
  /** Opening a box takes half a second on purpose; once is enough while it does not change. */
  #opened: { readonly sealed: string; readonly content: Content } | null = null

  /** The key is asked for when it is first needed: a file that is not there needs none to be read. */
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
    // Nothing has to be written, so nobody has to choose a passphrase for a file that is not there.
    if (!(await this.#read()).has(name)) return false
    return await this.#change((content) => content.delete(name))
  }

  async list(): Promise<readonly SecretEntry[]> {
    return [...(await this.#read())].map(([name, { uses }]) => ({ name, uses }))
  }

  async #read(): Promise<Content> {
    let sealed: string
    try {
      sealed = await readFile(this.#file, 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map()
      throw new CurfewError('SECRETS_UNAVAILABLE', `${this.#file}: ${(error as Error).message}`, {
        cause: error,
      })
    }
    if (this.#opened?.sealed !== sealed) {
      this.#opened = { sealed, content: await this.#unlock(sealed) }
    }
    return this.#opened.content
  }

  async #unlock(sealed: string): Promise<Content> {
    try {
      return readContent(Object(parseJson(await openBox(sealed, await this.#getKey(), this.#file))))
    } catch (error) {
      // A wrong passphrase may be typed again.
      this.#keyInUse = null
      throw error
    }
  }

  async #getKey(): Promise<BoxKey> {
    this.#keyInUse ??= this.#key()
    try {
      return await this.#keyInUse
    } catch (error) {
      this.#keyInUse = null
      throw error
    }
  }

  async #change(change: (content: Map<string, StoredSecret>) => boolean): Promise<boolean> {
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 })
    // Before the lock: somebody may have to type it.
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
      throw new CurfewError('SECRETS_UNAVAILABLE', `nothing was stored: ${messageOf(error)}`, {
        cause: error,
      })
    })
  }
}

function readContent(kept: object): Content {
  const content = new Map<string, StoredSecret>()
  for (const [name, entry] of Object.entries(kept)) {
    const secret = readStoredSecret(entry)
    if (secret !== null) content.set(name, secret)
  }
  return content
}

/** Without a key nothing is stored, and that is said loudly. */
export function keyFromEnvironment(env: Readonly<NodeJS.ProcessEnv>): () => Promise<BoxKey> {
  return async () => {
    const { CURFEW_PASSPHRASE: passphrase, CURFEW_KEY_FILE: path } = env
    if (path !== undefined && path !== '') return await readKeyFile(path)
    if (passphrase !== undefined && passphrase !== '') return { kind: 'passphrase', passphrase }
    throw new CurfewError(
      'SECRETS_UNAVAILABLE',
      'there is no keychain here, and no key for the encrypted file: set CURFEW_PASSPHRASE, or CURFEW_KEY_FILE to a ' +
        'file of random bytes that only you can read (umask 077; head -c 32 /dev/urandom > FILE)',
    )
  }
}

async function readKeyFile(path: string): Promise<BoxKey> {
  const problem = (what: string): CurfewError =>
    new CurfewError('SECRETS_UNAVAILABLE', `CURFEW_KEY_FILE: ${path} ${what}`, { field: 'CURFEW_KEY_FILE' })
  const readable = await Promise.all([stat(path), readFile(path)]).catch((error: Error) => error)
  if (readable instanceof Error) throw problem(`cannot be read: ${readable.message}`)
  const [{ mode }, bytes] = readable
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    throw problem(`can be read by others; run: chmod 600 ${path}`)
  if (bytes.length < 32) throw problem(`has ${bytes.length} bytes; a key has at least 32`)
  return { kind: 'file', bytes, path }
}
