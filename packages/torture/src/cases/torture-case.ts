import type { Feature } from '../adapter/adapter.ts'
import type { Trial } from '../trial/trial.ts'

export const groups = [
  'time',
  'ending',
  'processes',
  'output',
  'order',
  'mistakes',
  'remote',
  'crash',
] as const
export type Group = (typeof groups)[number]

export interface TortureCase {
  /** Stable: `group/name`. */
  readonly id: string
  readonly group: Group
  /** Who is hurt when it fails, in one sentence. */
  readonly hurts: string
  /** Public issues of those who were. */
  readonly issues: readonly string[]
  readonly needs: readonly Feature[]
  /** Uses much memory or many processes, so it runs alone. */
  readonly heavy: boolean
  run(trial: Trial): Promise<void>
}

interface CaseOptions {
  readonly hurts: string
  readonly issues?: readonly string[]
  readonly needs: readonly Feature[]
  readonly heavy?: true
  run(trial: Trial): Promise<void>
}

/** The cases of a group, by name. */
export function defineGroup(group: Group, cases: Readonly<Record<string, CaseOptions>>): TortureCase[] {
  return Object.entries(cases).map(([name, { issues = [], heavy = false, ...options }]) => ({
    ...options,
    id: `${group}/${name}`,
    group,
    issues,
    heavy,
  }))
}
