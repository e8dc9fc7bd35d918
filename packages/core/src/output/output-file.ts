import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { lastAtMost } from '../collections/last-at-most.ts'
import type { SpilledFiles } from './spilled-files.ts'

const createFlags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY
const readFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)

/**
 * A UTF-8 file that is written in blocks of characters, synchronously because the writer cannot wait, and can be read from
 * any character on.
 */
export class OutputFile {
  readonly path: string
  readonly #files: SpilledFiles
  readonly #onRemove: () => void
  #descriptor: number | null
  /** In characters. */
  length = 0
  bytes = 0
  /** Where each block begins, in characters and in bytes. */
  readonly #starts: number[] = []
  readonly #positions: number[] = []

  constructor(path: string, files: SpilledFiles, onRemove: () => void) {
    this.path = path
    this.#files = files
    this.#onRemove = onRemove
    this.#descriptor = openSync(path, createFlags, 0o600)
  }

  /** Appends a block. Returns false, and writes nothing, if it does not fit. Throws if it cannot be written. */
  append(block: string): boolean {
    const bytes = Buffer.from(block)
    if (this.#descriptor === null || !this.#files.grow(this.path, bytes.length)) return false
    for (let written = 0; written < bytes.length; ) {
      written += writeSync(this.#descriptor, bytes, written, bytes.length - written, this.bytes + written)
    }
    this.#starts.push(this.length)
    this.#positions.push(this.bytes)
    this.length += block.length
    this.bytes += bytes.length
    return true
  }

  /** Reads the characters from one offset to another, both of which must be in the file. */
  async read(from: number, to: number): Promise<string> {
    const first = lastAtMost(this.#starts, from)
    const last = lastAtMost(this.#starts, to - 1)
    const start = this.#positions[first]!
    const bytes = Buffer.allocUnsafe((this.#positions[last + 1] ?? this.bytes) - start)
    const blockStart = this.#starts[first]!
    const file = await open(this.path, readFlags)
    try {
      const { bytesRead } = await file.read(bytes, 0, bytes.length, start)
      if (bytesRead < bytes.length) throw new Error(`${this.path} was truncated`)
    } finally {
      await file.close()
    }
    return bytes.toString().slice(from - blockStart, to - blockStart)
  }

  /** Nothing more is written; from now on, the file may be removed to make room for others. */
  end(): void {
    if (this.#descriptor === null) return
    const descriptor = this.#descriptor
    this.#descriptor = null
    try {
      closeSync(descriptor)
    } catch {
      // A disk that fails does not affect the call; a read reports what is missing.
    }
    const counted = this.#files.end(this.path, true).then(() => this.#files.trimSoon())
    // Without a list of the directory's files, it cannot be removed early.
    counted.catch(() => {})
  }

  async remove(): Promise<void> {
    this.end()
    this.#onRemove()
    // Whatever remains is removed with the directory.
    await this.#files.remove(this.path).catch(() => {})
  }
}
