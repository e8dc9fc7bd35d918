import { constants } from 'node:fs'
import { access, lstat } from 'node:fs/promises'
import { absolute, absoluteText, type BytePath } from './byte-path.ts'
import type { UncoveredPath, UncoveredReason } from './checkpoint.ts'

/** Which of the files that are not ignored are part of a checkpoint. */
export interface SnapshotScope {
  /** Whether a file may contain secrets. Called with its absolute path, once for each file that is new or has changed. Must not throw. */
  isSecret(path: string): boolean
  readonly maxFileBytes: number
  /** Of the files that are new or have changed. */
  readonly maxFiles: number
  readonly maxBytes: number
}

/** A path that git reports as new or changed. */
export interface ChangedPath {
  readonly path: BytePath
  /** Part of the last checkpoint. */
  readonly isKnown: boolean
  /** It no longer exists, or is beyond a link now. */
  readonly isDeleted: boolean
}

export interface SortedPaths {
  readonly added: readonly BytePath[]
  readonly removed: readonly BytePath[]
  readonly uncovered: readonly UncoveredPath[]
}

const concurrency = 64

/** Decides what becomes of each path. Throws if there are too many files. */
export async function sortPaths(
  root: string,
  changed: readonly ChangedPath[],
  scope: SnapshotScope,
  signal: AbortSignal,
): Promise<SortedPaths> {
  if (changed.length > scope.maxFiles)
    throw new Error(
      `${changed.length} files that are not ignored are new or have changed, and at most ${scope.maxFiles} are covered; add what is generated to .gitignore`,
    )
  const added: BytePath[] = []
  const removed: BytePath[] = []
  const uncovered: UncoveredPath[] = []
  let bytes = 0
  for (let at = 0; at < changed.length; at += concurrency) {
    signal.throwIfAborted()
    const group = changed.slice(at, at + concurrency)
    const fates = await Promise.all(group.map((one) => fateOf(root, one, scope)))
    for (const [index, fate] of fates.entries()) {
      const { path, isKnown } = group[index]!
      if (fate.type === 'added') {
        added.push(path)
        bytes += fate.bytes
      } else if (isKnown) removed.push(path)
      if (fate.type === 'uncovered') uncovered.push({ path, reason: fate.reason })
    }
  }
  if (bytes > scope.maxBytes)
    throw new Error(
      `the files that are not ignored and are new or have changed have ${bytes} bytes, and at most ${scope.maxBytes} are covered; add what is generated to .gitignore`,
    )
  return { added, removed, uncovered }
}

type Fate =
  | { readonly type: 'added'; readonly bytes: number }
  | { readonly type: 'removed' }
  | { readonly type: 'uncovered'; readonly reason: UncoveredReason }

async function fateOf(
  root: string,
  { path, isDeleted }: ChangedPath,
  { isSecret, maxFileBytes }: SnapshotScope,
): Promise<Fate> {
  if (isDeleted) return { type: 'removed' }
  if (path.endsWith('/')) return uncovered('nested-repository')
  // git does not store such names.
  if (/(^|\/)\.git(\/|$)/i.test(path)) return uncovered('special')
  const file = absolute(root, path)
  try {
    const found = await lstat(file)
    // A file that was replaced by a folder, whose files are listed themselves.
    if (found.isDirectory()) return { type: 'removed' }
    if (!found.isFile() && !found.isSymbolicLink()) return uncovered('special')
    if (isSecret(absoluteText(root, path))) return uncovered('secret')
    if (found.size > maxFileBytes) return uncovered('too-large')
    if (found.isFile()) await access(file, constants.R_OK)
    return { type: 'added', bytes: found.size }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ENOTDIR' ? { type: 'removed' } : uncovered('unreadable')
  }
}

function uncovered(reason: UncoveredReason): Fate {
  return { type: 'uncovered', reason }
}
