import { lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Limits of a directory; beyond them, the oldest files are removed. */
export interface SpillLimits {
  readonly bytes: number
  readonly files: number
  readonly ageMs: number
}

interface SpilledFile {
  readonly bytes: number
  readonly at: number
}

interface Listing {
  /** By path, oldest first. */
  readonly files: Map<string, SpilledFile>
  bytes: number
}

/** Other processes may use the same directory, so it is listed again after this time. */
const relistMs = 60_000
/** A directory that somebody chose may contain other files. */
const ourFile = /^curfew-\d+-\d+-\d+-.*\.txt$/

/** The spilled files in a directory. They are remembered: listing them for every new one would take longer than writing it. */
export class SpilledFiles {
  readonly folder: string
  readonly #limits: SpillLimits
  /** Files that are being written. */
  readonly #open = new Map<string, number>()
  #openBytes = 0
  #listing: Promise<Listing> | null = null
  #listedAt = 0

  constructor(folder: string, limits: SpillLimits) {
    this.folder = folder
    this.#limits = limits
  }

  /** Removes the oldest files until another one fits in. Call `end` once it is written, or not. */
  async begin(path: string, bytes: number): Promise<void> {
    this.#open.set(path, bytes)
    this.#openBytes += bytes
    const listing = await this.#list()
    for (const [oldest, file] of listing.files) {
      if (!this.#isTooMuch(listing, file)) return
      forget(listing, oldest)
      await rm(oldest, { force: true })
    }
  }

  async end(path: string, isKept: boolean): Promise<void> {
    const bytes = this.#open.get(path)!
    this.#open.delete(path)
    this.#openBytes -= bytes
    if (isKept) remember(await this.#list(), path, { bytes, at: Date.now() })
  }

  #isTooMuch({ files, bytes }: Listing, oldest: SpilledFile): boolean {
    const { bytes: maxBytes, files: maxFiles, ageMs } = this.#limits
    return (
      bytes + this.#openBytes > maxBytes ||
      files.size + this.#open.size > maxFiles ||
      Date.now() - oldest.at > ageMs
    )
  }

  #list(): Promise<Listing> {
    if (this.#listing === null || Date.now() - this.#listedAt > relistMs) {
      this.#listedAt = Date.now()
      this.#listing = this.#read()
      this.#listing.catch(() => {
        this.#listing = null
      })
    }
    return this.#listing
  }

  async #read(): Promise<Listing> {
    const found: [string, SpilledFile][] = []
    for (const name of await readdir(this.folder)) {
      const path = join(this.folder, name)
      if (!ourFile.test(name) || this.#open.has(path)) continue
      const file = await lstat(path).catch(() => null)
      if (file?.isFile()) found.push([path, { bytes: file.size, at: file.mtimeMs }])
    }
    const listing: Listing = { files: new Map(), bytes: 0 }
    for (const [path, file] of found.sort(([, one], [, other]) => one.at - other.at))
      remember(listing, path, file)
    return listing
  }
}

/** It may be known already, if the directory was listed meanwhile. */
function remember(listing: Listing, path: string, file: SpilledFile): void {
  forget(listing, path)
  listing.files.set(path, file)
  listing.bytes += file.bytes
}

function forget(listing: Listing, path: string): void {
  listing.bytes -= listing.files.get(path)?.bytes ?? 0
  listing.files.delete(path)
}
