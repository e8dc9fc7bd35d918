import type { CallResult } from '@curfew/core'
import type { Stage } from './stage.ts'

/** A few calls that show one thing. */
export interface Scene {
  /** What happens, and what comes of it elsewhere: one line. */
  readonly title: string
  run(stage: Stage): Promise<void>
}

export interface SceneReport {
  readonly title: string
  readonly calls: readonly CallReport[]
  readonly claims: readonly Claim[]
}

/** A call that ended, and what is wrong with that. */
export interface CallReport {
  readonly label: string
  readonly result: CallResult
  readonly elapsedMs: number
  /** The outcome in a few words. */
  readonly words: string
  readonly problems: readonly string[]
}

/** Something about more than one call, and whether it is true. */
export interface Claim {
  readonly text: string
  readonly holds: boolean
}
