import type { DimensionScore, Evidence } from '../review-types.ts'

/** Counts the points of one dimension and records the reason for each one, earned or not. */
export interface PointTally {
  /** Adds a point, or a part of one, with its reason; or records why it was not earned. */
  award(earned: boolean | number, reason: string, reasonNotEarned: string): void
  deduct(points: number, reason: string): void
  /** The score, from 1 to 5 and at most `cap.score`. */
  total(cap?: Cap): DimensionScore
}

export interface Cap {
  readonly score: number
  readonly reason: string
}

export function createTally(base: number, reason: string): PointTally {
  let score = base
  const evidence: Evidence[] = [{ kind: 'base', value: base, reason }]
  return {
    award(earned, reason, reasonNotEarned) {
      const value = Number(earned)
      score += value
      evidence.push({ kind: 'points', value, reason: value > 0 ? reason : reasonNotEarned })
    },
    deduct(points, reason) {
      score -= points
      evidence.push({ kind: 'points', value: -points, reason })
    },
    total(cap = { score: 5, reason: 'the top of the scale' }) {
      if (score > cap.score) evidence.push({ kind: 'cap', value: cap.score, reason: cap.reason })
      return { score: Math.max(1, Math.min(score, cap.score)), evidence }
    },
  }
}
