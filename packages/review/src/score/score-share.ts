import type { DimensionScore } from '../review-types.ts'

const maxListed = 5

/** From 1 (none) to 5 (all), rounded to one decimal, with the first reasons. */
export function scoreShare(good: number, total: number, reasons: readonly string[]): DimensionScore {
  const listed = reasons.slice(0, maxListed)
  if (reasons.length > maxListed) listed.push(`and ${reasons.length - maxListed} more`)
  const score = Math.round((1 + (4 * Math.max(0, good)) / total) * 10) / 10
  return { score, evidence: listed.map((reason) => ({ kind: 'detail', reason })) }
}
