import { closeSync, constants, openSync, readSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { toFilePath, toShownPath } from './file-path.ts'
import { findLines } from './find-lines.ts'
import type { FoundFile } from './found-line.ts'
import { GlobFilter } from './glob-filter.ts'
import { LineMatcher, type LineQuery } from './line-matcher.ts'
import { decodeSearchedText } from './searched-text.ts'
import { FolderWalk } from './walk-folder.ts'

/** The start data of a thread. */
export interface SearchThreadInput {
  /** With one character per byte, like all paths in messages. */
  readonly root: string
  /** The only file to search, relative to the root; `null` for all. */
  readonly file: string | null
  readonly patterns: readonly string[]
  readonly includeHidden: boolean
  readonly inRepository: boolean
  readonly globalExcludes: string | null
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

const input = workerData as SearchThreadInput
const walk = new FolderWalk({
  ...input,
  filter: new GlobFilter(input.patterns, input.includeHidden, 'patterns'),
})
const matcher = input.query === null ? null : new LineMatcher(input.query)
let buffer = Buffer.allocUnsafeSlow(firstBufferBytes)

parentPort!.on('message', ({ work, cutoff }: SearchRequest) => {
  const more: SearchWork[] = []
  const found: FoundFile[] = []
  for (const item of work) {
    const files = 'files' in item ? item.files : list(item, more)
    for (const file of files) search(file, cutoff, found)
  }
  parentPort!.postMessage({ work: more, found } satisfies SearchResponse)
})

function list(
  { folder, level }: Extract<SearchWork, { readonly folder: string }>,
  more: SearchWork[],
): readonly string[] {
  const contents = walk.list(folder, level)
  for (const child of contents.folders) more.push({ folder: child, level: contents.level })
  if (matcher === null) return contents.files
  for (let from = filesPerWork; from < contents.files.length; from += filesPerWork)
    more.push({ files: contents.files.slice(from, from + filesPerWork) })
  return contents.files.slice(0, filesPerWork)
}

function search(file: string, cutoff: string | null, found: FoundFile[]): void {
  const path = toShownPath(file)
  if (matcher === null) {
    found.push({ path, count: 1, lines: [] })
    return
  }
  const bytes = read(file)
  if (bytes === null || !matcher.mayMatch(bytes)) return
  const decoded = decodeSearchedText(bytes)
  if (decoded === null) return
  const max = cutoff !== null && path > cutoff ? 0 : input.maxMatches
  const { count, lines } = findLines(decoded, matcher, max, input.context)
  if (count > 0) found.push({ path, count, lines })
}

/** In a buffer that the next call reuses. `null` if the file is too large or cannot be read. */
function read(file: string): Buffer | null {
  let descriptor: number
  try {
    const path = toFilePath(`${input.root === '/' ? '' : input.root}/${file}`)
    // What has become a link is not followed, and a pipe does not block.
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch {
    return null
  }
  try {
    let length = 0
    for (;;) {
      const free = buffer.length - length
      const count = readSync(descriptor, buffer, length, free, null)
      length += count
      if (length > input.maxFileBytes) return null
      if (count < free) return buffer.subarray(0, length)
      const larger = Buffer.allocUnsafeSlow(Math.min(buffer.length * 4, input.maxFileBytes + 1))
      buffer.copy(larger, 0, 0, length)
      buffer = larger
    }
  } catch {
    return null
  } finally {
    closeSync(descriptor)
  }
}
