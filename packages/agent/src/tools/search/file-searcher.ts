import { closeSync, readSync } from 'node:fs'
import { toShownPath } from './file-path.ts'
import { findLines } from './find-lines.ts'
import type { FoundFile } from './found-line.ts'
import { GlobFilter } from './glob-filter.ts'
import { LineMatcher, type LineQuery } from './line-matcher.ts'
import { openInPlace } from './open-in-place.ts'
import { decodeSearchedText } from './searched-text.ts'
import { FolderWalk, type WalkOptions } from './walk-folder.ts'

export interface FileSearchOptions extends Omit<WalkOptions, 'filter'> {
  readonly patterns: readonly string[]
  readonly includeHidden: boolean
  /** `null`: files are only listed. */
  readonly query: LineQuery | null
  readonly maxFileBytes: number
  readonly maxMatches: number
  readonly context: number
}

/** A folder to list, or files that have been listed. Paths are relative to the root. */
export type SearchWork =
  | { readonly folder: string; readonly level: string | null }
  | { readonly files: readonly string[] }

export interface SearchRequest {
  readonly work: readonly SearchWork[]
  /** Of files after this path, only the number of matches is needed. */
  readonly cutoff: string | null
}

export interface SearchResponse {
  /** What was found in the folders. */
  readonly work: readonly SearchWork[]
  readonly found: readonly FoundFile[]
}

/** Files that are left to other threads if a folder has more. */
const filesPerWork = 128
const firstBufferBytes = 1 << 18

/** Lists folders and searches files, a few at a time. Blocks, so it runs in threads. */
export class FileSearcher {
  readonly #options: FileSearchOptions
  readonly #walk: FolderWalk
  readonly #matcher: LineMatcher | null
  /** Reused, because allocating memory takes longer than reading most files. */
  #buffer = Buffer.allocUnsafeSlow(firstBufferBytes)

  constructor(options: FileSearchOptions) {
    this.#options = options
    const filter = new GlobFilter(options.patterns, options.includeHidden, 'patterns')
    this.#walk = new FolderWalk({ ...options, filter })
    this.#matcher = options.query === null ? null : new LineMatcher(options.query)
  }

  search({ work, cutoff }: SearchRequest): SearchResponse {
    const more: SearchWork[] = []
    const found: FoundFile[] = []
    for (const item of work) {
      const files = 'files' in item ? item.files : this.#list(item, more)
      for (const file of files) {
        const result = this.#searchFile(file, cutoff)
        if (result !== null) found.push(result)
      }
    }
    return { work: more, found }
  }

  #list(
    { folder, level }: Extract<SearchWork, { readonly folder: string }>,
    more: SearchWork[],
  ): readonly string[] {
    const contents = this.#walk.list(folder, level)
    for (const child of contents.folders) more.push({ folder: child, level: contents.level })
    if (this.#matcher === null) return contents.files
    for (let from = filesPerWork; from < contents.files.length; from += filesPerWork)
      more.push({ files: contents.files.slice(from, from + filesPerWork) })
    return contents.files.slice(0, filesPerWork)
  }

  #searchFile(file: string, cutoff: string | null): FoundFile | null {
    const path = toShownPath(file)
    if (this.#matcher === null) return { path, count: 1, lines: [] }
    const bytes = this.#read(file)
    if (bytes === null || !this.#matcher.mayMatch(bytes)) return null
    const decoded = decodeSearchedText(bytes)
    if (decoded === null) return null
    const max = cutoff !== null && path > cutoff ? 0 : this.#options.maxMatches
    const { count, lines } = findLines(decoded, this.#matcher, max, this.#options.context)
    return count === 0 ? null : { path, count, lines }
  }

  /** In a buffer that the next call reuses. `null` if the file is too large or cannot be read. */
  #read(file: string): Buffer | null {
    const { root, maxFileBytes } = this.#options
    let descriptor: number
    try {
      descriptor = openInPlace(`${root === '/' ? '' : root}/${file}`)
    } catch {
      return null
    }
    try {
      for (let length = 0; ; ) {
        const free = this.#buffer.length - length
        const count = readSync(descriptor, this.#buffer, length, free, null)
        length += count
        if (length > maxFileBytes) return null
        if (count < free) return this.#buffer.subarray(0, length)
        const larger = Buffer.allocUnsafeSlow(Math.min(this.#buffer.length * 4, maxFileBytes + 1))
        this.#buffer.copy(larger, 0, 0, length)
        this.#buffer = larger
      }
    } catch {
      return null
    } finally {
      closeSync(descriptor)
    }
  }
}
