import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CurfewError } from '../errors/curfew-error.ts'
import { type BoxKey, openBox, sealBox } from './sealed-box.ts'
import { readStoredSecret, type SecretEntry, type SecretStore, type StoredSecret } from './secret-store.ts'

type Content = Record<string, StoredSecret>

/** A lock that is older was left by somebody who died. */
const staleLockMs = 10_000

/** Where there is no keychain: one file, encrypted, readable by its owner alone. */
export class FileStore implements SecretStore {
  readonly where: string
  readonly #file: string
  readonly #key: () => Promise<BoxKey>

  /** The key is asked for when it is first needed: a file that is not there needs none to be read. */
  constructor(file: string, key: () => Promise<BoxKey>) {
    this.#file = file
    this.#key = key
    this.where = `the encrypted file ${file}`
  }

  async get(name: string): Promise<StoredSecret | null> {
    const content = await this.#read()
    return Object.hasOwn(content, name) ? content[name]! : null
  }

  async set(name: string, secret: StoredSecret): Promise<void> {
    await this.#change((content) => {
      content[name] = secret
      return true
    })
  }

  async remove(name: string): Promise<boolean> {
    return await this.#change((content) => Object.hasOwn(content, name) && delete content[name])
  }

  async list(): Promise<readonly SecretEntry[]> {
    return Object.entries(await this.#read()).map(([name, { uses }]) => ({ name, uses }))
  }

  async #read(): Promise<Content> {
    let sealed: string
    try {
      sealed = await readFile(this.#file, 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Object.create(null)
      throw error
    }
    const opened: object = JSON.parse(await openBox(sealed, await this.#key(), this.#file))
    const content: Content = Object.create(null)
    for (const [name, kept] of Object.entries(opened)) {
      const secret = readStoredSecret(kept)
      if (secret !== null) content[name] = secret
    }
    return content
  }

  /** Reads, changes and writes with nobody else in between. */
  async #change(change: (content: Content) => boolean): Promise<boolean> {
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 })
    const unlock = await this.#lock()
    try {
      const content = await this.#read()
      if (!change(content)) return false
      await this.#write(await sealBox(JSON.stringify(content), await this.#key()))
      return true
    } finally {
      await unlock()
    }
  }

  /** All of it or nothing, also if the power fails. */
  async #write(sealed: string): Promise<void> {
    const written = `${this.#file}.${process.pid}.new`
    const handle = await open(written, 'w', 0o600)
    try {
      await handle.writeFile(sealed)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(written, this.#file)
  }

  async #lock(): Promise<() => Promise<void>> {
    const lock = `${this.#file}.lock`
    for (;;) {
      try {
        await (await open(lock, 'wx', 0o600)).close()
        return () => rm(lock, { force: true })
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      }
      const since = (await stat(lock).catch(() => null))?.mtimeMs
      if (since !== undefined && Date.now() - since > staleLockMs) await rm(lock, { force: true })
      else await sleep(20)
    }
  }
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
        'file of random bytes that only you can read (head -c 32 /dev/urandom > key; chmod 600 key)',
    )
  }
}

async function readKeyFile(path: string): Promise<BoxKey> {
  const problem = (what: string): CurfewError =>
    new CurfewError('SECRETS_UNAVAILABLE', `CURFEW_KEY_FILE: ${path} ${what}`, { field: 'CURFEW_KEY_FILE' })
  let bytes: Buffer
  try {
    if (process.platform !== 'win32' && ((await stat(path)).mode & 0o077) !== 0)
      throw problem(`can be read by others; run: chmod 600 ${path}`)
    bytes = await readFile(path)
  } catch (error) {
    if (error instanceof CurfewError) throw error
    throw problem(`cannot be read: ${(error as Error).message}`)
  }
  if (bytes.length < 32) throw problem(`has ${bytes.length} bytes; a key has at least 32`)
  return { kind: 'file', bytes, path }
}
