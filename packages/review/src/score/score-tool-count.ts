import type { DimensionScore } from '../review-types.ts'

const ideal = { min: 3, max: 15 }
/** From the ideal to `heavy` the score falls from 5 to 3, and from there to `tooMany` to 1. */
const heavy = 25
const tooMany = 60

/** Enough tools to justify a server, few enough to choose from. */
export function scoreToolCount(count: number): DimensionScore {
  const tools = count === 1 ? '1 tool' : `${count} tools`
  const range = `${ideal.min} to ${ideal.max} are ideal`
  if (count < ideal.min) return total(count + 1, `${tools}, ${range}`)
  if (count <= ideal.max) return total(5, `${tools}, ${range}`)
  const score =
    count <= heavy
      ? 5 - (2 * (count - ideal.max)) / (heavy - ideal.max)
      : Math.max(1, 3 - (2 * (count - heavy)) / (tooMany - heavy))
  return total(Math.round(score * 10) / 10, `${tools}, ${range}, ${tooMany} or more score 1`)
}

function total(score: number, reason: string): DimensionScore {
  return { score, evidence: [{ kind: 'total', value: score, reason }] }
}
