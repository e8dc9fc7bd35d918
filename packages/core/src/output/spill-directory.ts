import { constants } from 'node:fs'
import { lstat, mkdir, mkdtemp, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ensureRuntimeDirectory, releaseRuntimeDirectory } from '../process/runtime-directory.ts'
import type { WebAbortSignal } from '../web-types.ts'
import { SpilledFiles, type SpillLimits } from './spilled-files.ts'

const defaultLimits: SpillLimits = { bytes: 256 << 20, files: 1_000, ageMs: 7 * 86_400_000 }
/** Small enough not to delay the deadlines of other calls. */
const sliceLength = 1 << 20
const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY

let count = 0

/**
 * The directory for results that are too long. Created on first use, readable only by its owner. Unless it is configured,
 * it is temporary and removed with the runtime; files in a configured directory remain. Both are limited in size.
 */
export class SpillDirectory {
  readonly #configured: string | undefined
  readonly #limits: SpillLimits
  readonly #writing = new Set<Promise<unknown>>()
  #temporary: Promise<string> | null = null
  #files: SpilledFiles | null = null

  constructor(directory?: string, limits: SpillLimits = defaultLimits) {
    this.#configured = directory
    this.#limits = limits
  }

  /** Writes a result in slices, so that other work can run in between. Returns the path. Throws if the result exceeds the limit. */
  async write(name: string, whole: string | Uint8Array, signal: WebAbortSignal): Promise<string> {
    const bytes = Buffer.byteLength(whole)
    if (bytes > this.#limits.bytes)
      throw new Error(`expected at most ${this.#limits.bytes} bytes, got ${bytes}`)
    const writing = this.#write(name, whole, bytes, signal).finally(() => this.#writing.delete(writing))
    this.#writing.add(writing)
    return await writing
  }

  /** Removes the temporary directory. */
  async close(): Promise<void> {
    if (this.#temporary === null) return
    await Promise.allSettled(this.#writing)
    const folder = await this.#temporary.catch(() => null)
    this.#temporary = null
    if (folder === null) return
    await rm(folder, { recursive: true, force: true })
    releaseRuntimeDirectory()
  }

  async #write(
    name: string,
    whole: string | Uint8Array,
    bytes: number,
    signal: AbortSignal,
  ): Promise<string> {
    const folder = await this.#folder()
    if (this.#files?.folder !== folder) this.#files = new SpilledFiles(folder, this.#limits)
    const files = this.#files
    const path = join(folder, `curfew-${Date.now()}-${process.pid}-${++count}-${fileName(name)}`)
    let isComplete = false
    try {
      await files.begin(path, bytes)
      await writeSlices(path, whole, signal)
      isComplete = !signal.aborted
    } finally {
      // A partial file is never reported.
      if (!isComplete) await rm(path, { force: true })
      await files.end(path, isComplete)
    }
    return path
  }

  async #folder(): Promise<string> {
    if (this.#configured !== undefined) {
      await mkdir(this.#configured, { recursive: true, mode: 0o700 })
      return this.#configured
    }
    this.#temporary ??= this.#createTemporary()
    const temporary = this.#temporary
    const folder = await temporary
    if (await exists(folder)) return folder
    // It was removed, for instance by a cleanup of temporary files.
    if (this.#temporary === temporary) this.#temporary = this.#createTemporary()
    return await this.#temporary!
  }

  async #createTemporary(): Promise<string> {
    try {
      return await mkdtemp(join(ensureRuntimeDirectory(), 'results-'))
    } catch (error) {
      this.#temporary = null
      throw error
    }
  }
}

async function writeSlices(path: string, whole: string | Uint8Array, signal: AbortSignal): Promise<void> {
  const file = await open(path, flags, 0o600)
  try {
    for (let at = 0; at < whole.length && !signal.aborted; at += sliceLength) {
      await file.appendFile(
        typeof whole === 'string' ? whole.slice(at, at + sliceLength) : whole.subarray(at, at + sliceLength),
      )
    }
  } finally {
    await file.close()
  }
}

async function exists(folder: string): Promise<boolean> {
  return (await lstat(folder).catch(() => null)) !== null
}

function fileName(toolName: string): string {
  return `${toolName.replace(/[^A-Za-z0-9_.-]/g, '_').slice(0, 100)}.txt`
}
