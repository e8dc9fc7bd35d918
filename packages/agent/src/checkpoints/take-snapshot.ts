import { stat } from 'node:fs/promises'
import { GitMissingError, messageOf, type ProjectGit } from '@curfew/core/internal'
import { type BytePath, joinPaths, toBytes } from './byte-path.ts'
import type { UncoveredPath } from './checkpoint.ts'
import { findChanges } from './find-changes.ts'
import { openPrivateIndex } from './private-index.ts'
import type { ShadowRepository } from './shadow-repository.ts'
import { type SnapshotScope, sortPaths } from './snapshot-scope.ts'

export interface Snapshot {
  readonly tree: string
  readonly uncovered: readonly UncoveredPath[]
  /** The version of the project's index, whose files are covered even if they are ignored; `null` if there is none. */
  readonly projectIndex: string | null
}

export interface SnapshotOptions {
  readonly scope: SnapshotScope
  readonly signal: AbortSignal
  /** The tree of the last checkpoint; `null` if there is none. */
  readonly lastTree: string | null
  /** The last one of this process; `null` for the first, because an earlier process may have had other rules for secret files. */
  readonly previous: Snapshot | null
}

/** What git adds at once. If the time is up, the next snapshot continues from there. */
const chunkLength = 5_000
/** From here on, one file for many objects is faster than one for each. */
const packLength = 500
/** Files that cannot be read although their permissions allow it, such as those that shrink meanwhile. */
const maxUnreadable = 20

/** Stores the files of the workspace in the shadow repository. Only while the workspace is locked. */
export async function takeSnapshot(
  repository: ShadowRepository,
  options: SnapshotOptions,
): Promise<Snapshot> {
  const project = await repository.prepareSnapshot()
  // The index may be damaged. With the last tree, files that were covered stay covered, even if they are ignored by now.
  const last = options.lastTree === null ? [] : [['read-tree', options.lastTree]]
  for (const create of [null, ...last]) {
    try {
      return await attempt(repository, project, options, create)
    } catch (error) {
      if (options.signal.aborted || error instanceof GitMissingError) throw error
    }
  }
  return await attempt(repository, project, options, ['read-tree', '--empty'])
}

async function attempt(
  repository: ShadowRepository,
  project: ProjectGit | null,
  { scope, signal, previous }: SnapshotOptions,
  /** Creates a new index instead of using the last one. */
  create: readonly string[] | null,
): Promise<Snapshot> {
  const { root, folder } = repository
  const index = await openPrivateIndex(folder, repository.index, create !== null)
  const git: Git = (args, input) => repository.git({ args, input, signal, index: index.path })
  try {
    if (create !== null) await git(create)
    const isSame = create === null && previous !== null
    // Its paths are relative to its top.
    const indexFile = project?.top === root ? project.index : null
    const projectIndex = indexFile === null ? null : await versionOf(indexFile)
    const changed = await findChanges({
      repository,
      projectIndex: isSame && previous.projectIndex === projectIndex ? null : indexFile,
      index: index.path,
      signal,
      isSecret: isSame ? null : scope.isSecret,
    })
    const { added, removed, uncovered } = await sortPaths(root, changed, scope, signal)
    if (removed.length > 0) await git(['update-index', '--force-remove', '-z', '--stdin'], joinPaths(removed))
    const unreadable = await addFiles(added, git)
    const tree = (await git(['write-tree'])).toString().trim()
    await index.keep()
    return { tree, uncovered: [...uncovered, ...unreadable], projectIndex }
  } catch (error) {
    if (signal.aborted) await index.keep()
    throw error
  } finally {
    await index.discard()
  }
}

async function versionOf(path: string): Promise<string | null> {
  const found = await stat(path).catch(() => null)
  return found === null ? null : [found.mtimeMs, found.size, found.ino].join()
}

type Git = (args: readonly string[], input?: Buffer) => Promise<Buffer>

/** Returns the files that could not be read. */
async function addFiles(paths: readonly BytePath[], git: Git): Promise<UncoveredPath[]> {
  const unreadable: UncoveredPath[] = []
  const settings = paths.length < packLength ? [] : ['-c', 'core.bigFileThreshold=1']
  for (let at = 0; at < paths.length; at += chunkLength) {
    let chunk = paths.slice(at, at + chunkLength)
    while (chunk.length > 0) {
      try {
        await git(
          [...settings, 'update-index', '--add', '--remove', '--replace', '-z', '--stdin'],
          joinPaths(chunk),
        )
        break
      } catch (error) {
        const failed = failedPath(error, chunk)
        if (failed === null || unreadable.length === maxUnreadable) throw error
        unreadable.push({ path: failed, reason: 'unreadable' })
        chunk = chunk.filter((path) => path !== failed)
      }
    }
  }
  // An earlier version may be known.
  if (unreadable.length > 0)
    await git(
      ['update-index', '--force-remove', '-z', '--stdin'],
      joinPaths(unreadable.map(({ path }) => path)),
    )
  return unreadable
}

function failedPath(error: unknown, paths: readonly BytePath[]): BytePath | null {
  const named = /Unable to process path (.+)$/s.exec(messageOf(error))?.[1]
  return paths.find((path) => toBytes(path).toString('utf8') === named) ?? null
}
