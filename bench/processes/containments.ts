import { containmentReport } from '@curfew/core/internal'

export type Kind = 'cgroup' | 'markers' | 'namespace'

/** What to ask `runProcess` for to be held in this way. */
export const containmentOption = { cgroup: 'auto', markers: 'markers', namespace: 'namespace' } as const

export interface Containments {
  readonly allowed: readonly Kind[]
  /** Why others are left out. */
  readonly notes: readonly string[]
}

/** The ways of holding a command that this machine allows. */
export function findContainments(): Containments {
  const findings = containmentReport()
  return {
    allowed: findings.filter(({ available }) => available).map(({ kind }) => kind),
    notes: findings
      .filter(({ available }) => !available)
      .map(({ kind, detail }) => `left out: Curfew with ${kind}; ${detail}`),
  }
}
