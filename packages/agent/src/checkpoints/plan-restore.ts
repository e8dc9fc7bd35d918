import type { Checkpoint, UncoveredPath } from './checkpoint.ts'
import { compareTrees, type FileChange, isUncoveredIn } from './compare-trees.ts'
import { ignoredThen, isInTheWayOf } from './ignored-then.ts'
import { isFileNow } from './restore-files.ts'
import type { ShadowRepository } from './shadow-repository.ts'
import type { Snapshot } from './take-snapshot.ts'

/** What restoring a checkpoint would do. */
export interface RestorePlan {
  readonly checkpoint: Checkpoint
  readonly changes: readonly FileChange[]
  /** Not covered then or now, so they stay as they are. */
  readonly untouched: readonly UncoveredPath[]
  /** The tree of the current files. */
  readonly current: string
}

export async function planRestore(
  repository: ShadowRepository,
  checkpoint: Checkpoint,
  now: Snapshot,
  signal: AbortSignal,
): Promise<RestorePlan> {
  const wasUncovered = isUncoveredIn(checkpoint.uncovered)
  const isUncovered = isUncoveredIn(now.uncovered)
  const all = await compareTrees(repository, now.tree, checkpoint.tree, signal)
  const covered = all.filter(({ path }) => !wasUncovered(path) && !isUncovered(path))
  const pathsOf = (kind: FileChange['kind']) =>
    covered.filter((change) => change.kind === kind).map(({ path }) => path)
  const isInTheWay = isInTheWayOf(pathsOf('create'))
  const deleted = pathsOf('delete').filter((path) => !isInTheWay(path))
  const ignored = await ignoredThen(repository, checkpoint.tree, deleted, signal)
  const changes: FileChange[] = []
  const untouched = new Map([...checkpoint.uncovered, ...now.uncovered].map((one) => [one.path, one]))
  for (const change of covered) {
    const { kind, path } = change
    if (kind === 'delete' && ignored.has(path)) continue
    // The file that is there now is ignored, so it could not be brought back.
    if (kind === 'create' && (await isFileNow(repository.root, path)))
      untouched.set(path, { path, reason: 'ignored' })
    else changes.push(change)
  }
  return { checkpoint, changes, untouched: [...untouched.values()], current: now.tree }
}
