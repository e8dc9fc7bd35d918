import { closeSync } from 'node:fs'
import { attempt, readBounded } from '@curfew/core/internal'
import { toShownPath } from './file-path.ts'
import { findLines } from './find-lines.ts'
import type { FoundFile } from './found-line.ts'
import { GlobFilter } from './glob-filter.ts'
import { openInPlace } from './open-in-place.ts'
import { below, type WalkOptions, walkFolder } from './walk-folder.ts'

export interface FileSearchOptions extends Omit<WalkOptions, 'filter'> {
  readonly patterns: readonly string[]
  readonly includeHidden: boolean
  /** The only file to search, relative to the root; `null` for all below it. */
  readonly file: string | null
  /** Applied to each line; `null`: files are only listed. */
  readonly expression: RegExp | null
  readonly maxFileBytes: number
  readonly maxMatches: number
  readonly context: number
}

const filesPerBatch = 32
/** Ends a line for JavaScript, but not for a search. */
const otherLineEnd = /\r(?!\n)|[\u2028\u2029]/

/** Lists or searches files, a few at a time. Blocks, so it runs in a thread. */
export class FileSearcher {
  readonly #options: FileSearchOptions
  readonly #files: Iterator<string>
  /** Tests a whole text, which takes a tenth of the time of testing its lines. */
  readonly #anyLine: RegExp | null

  constructor(options: FileSearchOptions) {
    this.#options = options
    const { expression } = options
    this.#anyLine = expression && new RegExp(expression.source, `${expression.flags.replace('s', '')}m`)
    const filter = new GlobFilter(options.patterns, options.includeHidden, 'patterns')
    this.#files = options.file === null ? walkFolder({ ...options, filter }) : [options.file].values()
  }

  /** More of the files that were found; `null` at the end. Of files after `cutoff`, only the number of matches is needed. */
  next(cutoff: string | null): readonly FoundFile[] | null {
    const found: FoundFile[] = []
    while (found.length < filesPerBatch) {
      const { value, done } = this.#files.next()
      if (done) return found.length === 0 ? null : found
      const file = this.#search(value, cutoff)
      if (file !== null) found.push(file)
    }
    return found
  }

  #search(file: string, cutoff: string | null): FoundFile | null {
    const { root, expression, maxFileBytes, maxMatches, context } = this.#options
    const path = toShownPath(file)
    if (expression === null) return { path, count: 1, lines: [] }
    const text = readText(below(root, file), maxFileBytes)
    if (text === null || !(this.#anyLine!.test(text) || otherLineEnd.test(text))) return null
    const max = cutoff !== null && path > cutoff ? 0 : maxMatches
    const { count, lines } = findLines(text, expression, max, context)
    return count === 0 ? null : { path, count, lines }
  }
}

/** UTF-8, or UTF-16 with a byte order mark, as for ripgrep. `null` if the file is binary, is too large or cannot be read. */
function readText(path: string, maxBytes: number): string | null {
  return attempt(() => {
    const descriptor = openInPlace(path)
    try {
      const bytes = readBounded(descriptor, maxBytes)
      const mark = bytes.toString('latin1', 0, 2)
      const encoding = mark === '\xff\xfe' ? 'utf-16le' : mark === '\xfe\xff' ? 'utf-16be' : 'utf-8'
      if (encoding === 'utf-8' && bytes.includes(0)) return null
      const text = new TextDecoder(encoding).decode(bytes)
      return text.includes('\0') ? null : text
    } finally {
      closeSync(descriptor)
    }
  }, null)
}
