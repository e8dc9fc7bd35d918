import type { BytePath } from './byte-path.ts'

/** The state of a workspace at one moment. */
export interface Checkpoint {
  /** Counts the checkpoints of the workspace. */
  readonly number: number
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** The conversation that `position` belongs to. */
  readonly conversation: string
  /** The id of the last item of the history before what followed; 0 if there was none. */
  readonly position: number
  /** What followed, as short lines: the calls of the batch, or a restore. */
  readonly followedBy: readonly string[]
  /** The files: the id of a git tree. */
  readonly tree: string
  readonly uncovered: readonly UncoveredPath[]
}

/** A file or folder that existed, but is not part of a checkpoint. Restoring leaves it as it is. */
export interface UncoveredPath {
  readonly path: BytePath
  readonly reason: UncoveredReason
}

/** `ignored` is not saved with checkpoints: it is only known of files that a restore would have to replace. */
export type UncoveredReason =
  | 'nested-repository'
  | 'too-large'
  | 'secret'
  | 'special'
  | 'unreadable'
  | 'ignored'
