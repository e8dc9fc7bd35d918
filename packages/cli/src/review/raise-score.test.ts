import { fromDefinition, reviewTools } from '@curfew/review'
import { expect, it } from 'vitest'
import { definitionWeight, minWeight, weights } from './raise-score.ts'

it('uses the weights of the score', () => {
  const inputSchema = { type: 'object', properties: { city: { type: 'string', description: 'The city.' } } }
  const definitions = [
    { name: 'get_weather', description: 'Get the current weather of a city. Use it for today.', inputSchema },
    { name: 'timeout', description: 'Timeout', inputSchema: { type: 'object' } },
  ]
  const { tools, server } = reviewTools(definitions.map((definition) => fromDefinition(definition)))
  for (const { score } of tools) {
    const sum = Object.entries(weights).reduce(
      (total, [dimension, weight]) =>
        total + weight * score.dimensions[dimension as keyof typeof weights].score,
      0,
    )
    expect(sum).toBeCloseTo(score.overall, 2)
  }
  const { definition, coherence, score } = server!
  expect(definition.score).toBeCloseTo((1 - minWeight) * definition.mean + minWeight * definition.min, 1)
  expect(score).toBeCloseTo(definitionWeight * definition.score + (1 - definitionWeight) * coherence.score, 1)
})
