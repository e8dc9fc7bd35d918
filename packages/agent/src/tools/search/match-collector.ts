import { type FoundFile, firstMatches } from './found-line.ts'

export interface CollectorOptions {
  readonly max: number
  readonly context: number
  /** Files that are not accepted are not even counted, because a count can reveal what they contain. */
  readonly accepts: (path: string) => boolean
}

export interface Collected {
  /** The first ones by path. */
  readonly files: readonly FoundFile[]
  /** All matches, including those that are not in `files`. */
  readonly matches: number
  readonly fileCount: number
}

/** Keeps the first matches by path, in whatever order they are found, and counts all of them. */
export class MatchCollector {
  readonly #options: CollectorOptions
  #files: FoundFile[] = []
  /** The matches in `#files`. */
  #kept = 0
  #matches = 0
  #fileCount = 0
  #cutoff: string | null = null

  constructor(options: CollectorOptions) {
    this.#options = options
  }

  /** Of files after this path, only the number of matches is needed; `null` if all are needed. */
  get cutoff(): string | null {
    return this.#cutoff
  }

  accepts(path: string): boolean {
    return this.#options.accepts(path)
  }

  /** The path must have been accepted. */
  add(file: FoundFile): void {
    this.#matches += file.count
    this.#fileCount++
    if (this.#cutoff !== null && file.path > this.#cutoff) return
    this.#files.push(file)
    this.#kept += file.count
    if (this.#files.length > 2 * this.#options.max || this.#kept > 4 * this.#options.max) this.#prune()
  }

  finish(): Collected {
    this.#prune()
    const { max, context } = this.#options
    let left = max
    const files: FoundFile[] = []
    for (const file of this.#files) {
      if (left <= 0) break
      files.push({ ...file, lines: firstMatches(file.lines, left, context) })
      left -= file.count
    }
    return { files, matches: this.#matches, fileCount: this.#fileCount }
  }

  #prune(): void {
    this.#files.sort((a, b) => (a.path < b.path ? -1 : 1))
    let kept = 0
    const needed = this.#files.findIndex(({ count }) => {
      kept += count
      return kept >= this.#options.max
    })
    if (needed >= 0) {
      this.#files.length = needed + 1
      this.#cutoff = this.#files[needed]!.path
    }
    this.#kept = Math.min(kept, this.#options.max)
  }
}
