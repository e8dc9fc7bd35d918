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
/** The share of the limit that one growing file may use. */
const maxShare = 1 / 4

/** A configured directory may contain other files. */
const ourFile = /^curfew-\d+-\d+-\d+-.*\.txt$/

/** The spilled files in a directory. The list is cached, because reading it for every new file would take longer than writing the file. */
export class SpilledFiles {
  readonly folder: string
  readonly #limits: SpillLimits
  /** Files that are being written. */
  readonly #open = new Map<string, number>()
  #openBytes = 0
  #listing: Promise<Listing> | null = null
  #listedAt = 0
  #trimming = false
  #trimAgain = false

  constructor(folder: string, limits: SpillLimits) {
    this.folder = folder
    this.#limits = limits
  }

  /** Removes the oldest files until another one fits. Call `end` when it is written or has failed. */
  async begin(path: string, bytes: number): Promise<void> {
    this.#open.set(path, bytes)
    this.#openBytes += bytes
    await this.#trim()
  }

  /**
   * Counts bytes that are about to be written to a file that grows. Returns false if they exceed the limits. The oldest files
   * are removed afterwards, because the writer cannot wait.
   */
  grow(path: string, bytes: number): boolean {
    const size = (this.#open.get(path) ?? 0) + bytes
    const { bytes: maxBytes } = this.#limits
    if (size > maxBytes * maxShare || this.#openBytes + bytes > maxBytes) return false
    this.#open.set(path, size)
    this.#openBytes += bytes
    this.trimSoon()
    return true
  }

  async end(path: string, isKept: boolean): Promise<void> {
    const bytes = this.#open.get(path)
    if (bytes === undefined) return
    try {
      // Counted as open until it is in the list, so that it is never missed.
      if (isKept) addFile(await this.#list(), path, { bytes, at: Date.now() })
    } finally {
      this.#open.delete(path)
      this.#openBytes -= bytes
    }
  }

  /** Removes a file that has ended. */
  async remove(path: string): Promise<void> {
    const removing = rm(path, { force: true })
    removeFile(await this.#list(), path)
    await removing
  }

  /** Removes the oldest files until all others fit. */
  trimSoon(): void {
    this.#trimAgain = this.#trimming
    if (this.#trimming) return
    this.#trimming = true
    void this.#trim()
      .catch(() => {})
      .finally(() => {
        this.#trimming = false
        if (this.#trimAgain) this.trimSoon()
      })
  }

  async #trim(): Promise<void> {
    const listing = await this.#list()
    for (const [oldest, file] of listing.files) {
      if (!this.#exceedsLimits(listing, file)) return
      removeFile(listing, oldest)
      await rm(oldest, { force: true })
    }
  }

  #exceedsLimits({ files, bytes }: Listing, oldest: SpilledFile): boolean {
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
      addFile(listing, path, file)
    return listing
  }
}

/** Replaces an existing entry: the directory may have been listed meanwhile. */
function addFile(listing: Listing, path: string, file: SpilledFile): void {
  removeFile(listing, path)
  listing.files.set(path, file)
  listing.bytes += file.bytes
}

function removeFile(listing: Listing, path: string): void {
  listing.bytes -= listing.files.get(path)?.bytes ?? 0
  listing.files.delete(path)
}
