import type { DimensionScore } from '../review-types.ts'

/** Points with the reason for each one, given or not. */
export interface Points {
  /** Gives a point for a reason, or says why there is none. */
  point(given: boolean, why: string, whyNot: string): void
  /** Takes points away. */
  minus(points: number, why: string): void
  /** From 1 to 5, and not above `most`. */
  total(most?: { readonly score: number; readonly why: string }): DimensionScore
}

export function startAt(start: number, why: string): Points {
  let score = start
  const evidence = [`${start} to begin with: ${why}`]
  return {
    point(given, reason, missing) {
      if (given) score++
      evidence.push(given ? `+1 ${reason}` : `+0 ${missing}`)
    },
    minus(points, reason) {
      score -= points
      evidence.push(`-${points} ${reason}`)
    },
    total(most = { score: 5, why: 'the scale ends there' }) {
      if (score > most.score) evidence.push(`at most ${most.score}: ${most.why}`)
      return { score: Math.max(1, Math.min(score, most.score)), evidence }
    },
  }
}
