import { constants } from 'node:fs'
import { lstat, mkdir, mkdtemp, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ensureRuntimeDirectory, releaseRuntimeDirectory } from '../process/runtime-directory.ts'

/** Limits of a directory; beyond them, the oldest files are removed. */
export interface SpillLimits {
  readonly bytes: number
  readonly files: number
  readonly ageMs: number
}

const defaultLimits: SpillLimits = { bytes: 256 << 20, files: 1_000, ageMs: 7 * 86_400_000 }
/** Small enough that no other call's deadline is late because of it. */
const sliceLength = 1 << 20
const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY
/** Ours among what else may be in a directory that somebody chose. */
const ourFile = /^curfew-\d+-\d+-\d+-.*\.txt$/

let count = 0

/**
 * The directory that takes what did not fit into a result. Made when it is first needed, readable by its owner alone.
 * Without a configured one it is temporary, and goes with the runtime; files in a configured one stay. Both are bounded.
 */
export class SpillDirectory {
  readonly #configured: string | undefined
  readonly #limits: SpillLimits
  readonly #writing = new Set<Promise<unknown>>()
  #temporary: Promise<string> | null = null
  /** What is being written just now, and where. */
  #pendingBytes = 0
  readonly #pending = new Set<string>()

  constructor(directory?: string, limits: SpillLimits = defaultLimits) {
    this.#configured = directory
    this.#limits = limits
  }

  /** Writes the whole in slices, giving way to everything else between them. Throws if there is no room for it. */
  async write(name: string, whole: string | Uint8Array, signal: AbortSignal): Promise<string> {
    const bytes = Buffer.byteLength(whole)
    if (bytes > this.#limits.bytes)
      throw new Error(`expected at most ${this.#limits.bytes} bytes, got ${bytes}`)
    this.#pendingBytes += bytes
    const writing = this.#write(name, whole, signal).finally(() => {
      this.#pendingBytes -= bytes
      this.#writing.delete(writing)
    })
    this.#writing.add(writing)
    return await writing
  }

  /** Removes what is temporary. */
  async close(): Promise<void> {
    if (this.#temporary === null) return
    await Promise.allSettled(this.#writing)
    const folder = await this.#temporary.catch(() => null)
    this.#temporary = null
    if (folder === null) return
    await rm(folder, { recursive: true, force: true })
    releaseRuntimeDirectory()
  }

  async #write(name: string, whole: string | Uint8Array, signal: AbortSignal): Promise<string> {
    const folder = await this.#folder()
    await this.#makeRoom(folder)
    const path = join(folder, `curfew-${Date.now()}-${process.pid}-${++count}-${fileName(name)}`)
    const file = await open(path, flags, 0o600)
    this.#pending.add(path)
    try {
      for (let at = 0; at < whole.length && !signal.aborted; at += sliceLength) {
        await file.appendFile(
          typeof whole === 'string'
            ? whole.slice(at, at + sliceLength)
            : whole.subarray(at, at + sliceLength),
        )
      }
    } catch (error) {
      await rm(path, { force: true })
      throw error
    } finally {
      this.#pending.delete(path)
      await file.close()
    }
    // A partial file is never reported.
    if (signal.aborted) await rm(path, { force: true })
    return path
  }

  async #folder(): Promise<string> {
    if (this.#configured !== undefined) {
      await mkdir(this.#configured, { recursive: true, mode: 0o700 })
      return this.#configured
    }
    this.#temporary ??= this.#makeTemporary()
    const temporary = this.#temporary
    const folder = await temporary
    if (await isThere(folder)) return folder
    // It was removed, for instance by a cleanup of temporary files.
    if (this.#temporary === temporary) this.#temporary = this.#makeTemporary()
    return await this.#temporary!
  }

  async #makeTemporary(): Promise<string> {
    try {
      return await mkdtemp(join(ensureRuntimeDirectory(), 'results-'))
    } catch (error) {
      this.#temporary = null
      throw error
    }
  }

  /** Removes the oldest files until what is being written fits in. */
  async #makeRoom(folder: string): Promise<void> {
    const { bytes, files, ageMs } = this.#limits
    const found = (await filesIn(folder)).filter(({ path }) => !this.#pending.has(path))
    let total = this.#pendingBytes
    for (const [index, file] of found.entries()) {
      total += file.bytes
      if (total > bytes || index + 1 >= files || Date.now() - file.at > ageMs)
        await rm(file.path, { force: true })
    }
  }
}

interface SpilledFile {
  readonly path: string
  readonly bytes: number
  readonly at: number
}

/** The newest first. */
async function filesIn(folder: string): Promise<SpilledFile[]> {
  const found: SpilledFile[] = []
  for (const name of await readdir(folder)) {
    if (!ourFile.test(name)) continue
    const path = join(folder, name)
    const file = await lstat(path).catch(() => null)
    if (file?.isFile()) found.push({ path, bytes: file.size, at: file.mtimeMs })
  }
  return found.sort((one, other) => other.at - one.at)
}

async function isThere(folder: string): Promise<boolean> {
  return (await lstat(folder).catch(() => null)) !== null
}

function fileName(toolName: string): string {
  return `${toolName.replace(/[^A-Za-z0-9_.-]/g, '_').slice(0, 100)}.txt`
}
