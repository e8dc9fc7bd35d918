import { constants, existsSync, mkdirSync, mkdtempSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ensureRuntimeDirectory, releaseRuntimeDirectory } from '../process/runtime-directory.ts'
import type { WebAbortSignal } from '../web-types.ts'
import { safeCut } from './head-tail.ts'
import { OutputFile } from './output-file.ts'
import { SpilledFiles, type SpillLimits } from './spilled-files.ts'

const defaultLimits: SpillLimits = { bytes: 256 << 20, files: 1_000, ageMs: 7 * 86_400_000 }
/** Small enough not to delay the deadlines of other calls. */
const sliceLength = 1 << 20
const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY

let count = 0

/**
 * The directory for results and live output that are too long. Created on first use, readable only by its owner. Unless it is
 * configured, it is temporary and removed with the runtime; results in a configured directory remain. Both are limited in size.
 */
export class SpillDirectory {
  readonly #configured: string | undefined
  readonly #limits: SpillLimits
  readonly #writing = new Set<Promise<unknown>>()
  readonly #outputs = new Set<OutputFile>()
  #temporary: string | null = null
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

  /** Creates a file for live output, which is removed with the directory at the latest. Throws if that fails. */
  createFile(name: string): OutputFile {
    const files = this.#filesIn(this.#folder())
    const file = new OutputFile(this.#newPath(files, name), files, () => this.#outputs.delete(file))
    this.#outputs.add(file)
    return file
  }

  /** Removes live output and the temporary directory. */
  async close(): Promise<void> {
    await Promise.allSettled([...this.#writing, ...Array.from(this.#outputs, (file) => file.remove())])
    const folder = this.#temporary
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
    const files = this.#filesIn(this.#folder())
    const path = this.#newPath(files, name)
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

  #filesIn(folder: string): SpilledFiles {
    if (this.#files?.folder !== folder) this.#files = new SpilledFiles(folder, this.#limits)
    return this.#files
  }

  #newPath({ folder }: SpilledFiles, name: string): string {
    return join(folder, `curfew-${Date.now()}-${process.pid}-${++count}-${fileName(name)}`)
  }

  #folder(): string {
    if (this.#configured !== undefined) {
      mkdirSync(this.#configured, { recursive: true, mode: 0o700 })
      return this.#configured
    }
    // It may have been removed, for instance by a cleanup of temporary files.
    if (this.#temporary === null || !existsSync(this.#temporary))
      this.#temporary = mkdtempSync(join(ensureRuntimeDirectory(), 'results-'))
    return this.#temporary
  }
}

async function writeSlices(path: string, whole: string | Uint8Array, signal: AbortSignal): Promise<void> {
  const file = await open(path, flags, 0o600)
  try {
    for (let at = 0; at < whole.length && !signal.aborted; ) {
      const end = at + sliceLength
      const cut = typeof whole === 'string' && end < whole.length ? safeCut(whole, end) : end
      await file.appendFile(typeof whole === 'string' ? whole.slice(at, cut) : whole.subarray(at, cut))
      at = cut
    }
  } finally {
    await file.close()
  }
}

function fileName(toolName: string): string {
  return `${toolName.replace(/[^A-Za-z0-9_.-]/g, '_').slice(0, 100)}.txt`
}
