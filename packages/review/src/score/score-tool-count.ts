import type { DimensionScore } from '../review-types.ts'
import { fixedScore } from './point-tally.ts'

const ideal = { min: 3, max: 15 }
/** From the ideal to `heavy` the score falls from 5 to 3, and from there to `tooMany` to 1. */
const heavy = 25
const tooMany = 60

/** Enough tools to justify a server, few enough to choose from. */
export function scoreToolCount(count: number): DimensionScore {
  const reason = `${count} ${count === 1 ? 'tool' : 'tools'}, ${ideal.min} to ${ideal.max} are ideal`
  if (count < ideal.min) return fixedScore(count + 1, reason)
  const score =
    count <= heavy
      ? 5 - (2 * (count - ideal.max)) / (heavy - ideal.max)
      : 3 - (2 * (count - heavy)) / (tooMany - heavy)
  return fixedScore(Math.round(Math.max(1, Math.min(5, score)) * 10) / 10, reason)
}
