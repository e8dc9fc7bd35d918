import type { DimensionScore } from '../review-types.ts'

/** From 1 (none) to 5 (all), rounded to one decimal. */
export function scoreShare(good: number, total: number, reasons: readonly string[]): DimensionScore {
  const score = total === 0 ? 5 : Math.round((1 + (4 * good) / total) * 10) / 10
  return { score, evidence: reasons.map((reason) => ({ kind: 'detail', reason })) }
}
