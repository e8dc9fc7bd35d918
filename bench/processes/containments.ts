import { containmentReport } from '@curfew/core/internal'

export type Kind = 'cgroup' | 'markers' | 'namespace'

/** The option of `runProcess` for each kind. */
export const containmentOption = { cgroup: 'auto', markers: 'markers', namespace: 'namespace' } as const

export interface Containments {
  readonly allowed: readonly Kind[]
  /** Why the other kinds are skipped. */
  readonly notes: readonly string[]
}

/** The kinds of containment that this machine allows. */
export function findContainments(): Containments {
  const findings = containmentReport()
  return {
    allowed: findings.filter(({ available }) => available).map(({ kind }) => kind),
    notes: findings
      .filter(({ available }) => !available)
      .map(({ kind, detail }) => `skipped: Curfew with ${kind}; ${detail}`),
  }
}
