import type { DimensionScore } from '../review-types.ts'

/** From 1 (none) to 5 (all), with one digit. */
export function scoreOfShare(good: number, all: number, evidence: readonly string[]): DimensionScore {
  const score = all === 0 ? 5 : Math.round((1 + (4 * good) / all) * 10) / 10
  return { score, evidence }
}
