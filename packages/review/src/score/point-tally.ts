import type { DimensionScore, Evidence } from '../review-types.ts'

/** Counts the points of one dimension and records the reason for each one, earned or not. */
export interface PointTally {
  /** Adds points with their reason, or records why they were not earned. */
  award(earned: boolean | number, reason: string, reasonNotEarned?: string): void
  /** The score, from 1 to 5 and at most `cap`. */
  total(cap?: number, reason?: string): DimensionScore
}

export function createTally(base: number, reason: string): PointTally {
  let score = base
  const evidence: Evidence[] = [{ kind: 'base', value: base, reason }]
  return {
    award(earned, reason, reasonNotEarned = reason) {
      const value = Number(earned)
      score += value
      evidence.push({ kind: 'points', value, reason: value === 0 ? reasonNotEarned : reason })
    },
    total(cap = 5, reason = 'the top of the scale') {
      if (score > cap) evidence.push({ kind: 'cap', value: cap, reason })
      return { score: Math.max(1, Math.min(score, cap)), evidence }
    },
  }
}

/** A score that does not consist of points. */
export function fixedScore(score: number, reason: string, details: readonly string[] = []): DimensionScore {
  const evidence = details.map((detail): Evidence => ({ kind: 'detail', reason: detail }))
  return { score, evidence: [{ kind: 'total', value: score, reason }, ...evidence] }
}

/** What the `addition` of an analysis means. */
export function describeAddition(addition: 0 | 0.5 | 1): string {
  if (addition === 0) return 'only repeats the name or title'
  return `says ${addition === 1 ? '' : 'hardly '}more than the name`
}

/** The beginning of a text, in quotes. */
export function excerpt(text = ''): string {
  return `"${text.slice(0, 60)}"`
}

/** The name of a tool or parameter, as code. */
export function codeName(of: { readonly name: string } | undefined): string {
  return `\`${of?.name.slice(0, 80)}\``
}
