import type { CallResult } from '@curfew/core'
import type { SceneRunner } from './scene-runner.ts'

/** A few calls that show one guarantee. */
export interface Scene {
  /** What goes wrong, and what Curfew does about it; fits on one line of 80 columns. */
  readonly title: string
  run(runner: SceneRunner): Promise<void>
}

export interface SceneReport {
  readonly title: string
  readonly calls: readonly CallReport[]
  readonly claims: readonly Claim[]
}

/** How a call ended, and how that differs from what was expected. */
export interface CallReport {
  readonly label: string
  readonly result: CallResult
  readonly elapsedMs: number
  /** The outcome in a few words. */
  readonly summary: string
  readonly problems: readonly string[]
}

/** A statement about a whole scene, and whether it is true. */
export interface Claim {
  readonly text: string
  readonly holds: boolean
}
