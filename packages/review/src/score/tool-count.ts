import type { DimensionScore } from '../review-types.ts'

const ideal = { least: 3, most: 15 }
const tooMany = 50

/** Enough to be worth a server, few enough to choose from. */
export function scoreToolCount(count: number): DimensionScore {
  const tools = count === 1 ? '1 tool' : `${count} tools`
  const range = `${ideal.least} to ${ideal.most} are ideal`
  if (count < ideal.least) return { score: count + 2, evidence: [`${count + 2}: ${tools}, ${range}`] }
  if (count <= ideal.most) return { score: 5, evidence: [`5: ${tools}, ${range}`] }
  const score = Math.max(1, 5 - (4 * (count - ideal.most)) / (tooMany - ideal.most))
  const rounded = Math.round(score * 10) / 10
  return { score: rounded, evidence: [`${rounded}: ${tools}, ${range}, ${tooMany} and more are 1`] }
}
