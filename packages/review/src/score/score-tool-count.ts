import type { DimensionScore } from '../review-types.ts'

const ideal = { min: 3, max: 15 }
const tooMany = 50

/** Enough tools to justify a server, few enough to choose from. */
export function scoreToolCount(count: number): DimensionScore {
  const tools = count === 1 ? '1 tool' : `${count} tools`
  const range = `${ideal.min} to ${ideal.max} are ideal`
  if (count < ideal.min) return total(count + 2, `${tools}, ${range}`)
  if (count <= ideal.max) return total(5, `${tools}, ${range}`)
  const score = Math.max(1, 5 - (4 * (count - ideal.max)) / (tooMany - ideal.max))
  return total(Math.round(score * 10) / 10, `${tools}, ${range}, ${tooMany} or more score 1`)
}

function total(score: number, reason: string): DimensionScore {
  return { score, evidence: [{ kind: 'total', value: score, reason }] }
}
