import { expect, test } from 'vitest'
import { readUsage } from './read-usage.ts'

test('the counts of each version of the specification', () => {
  const usage = {
    inputTokens: { total: 10, cacheRead: 4, cacheWrite: 2 },
    outputTokens: { total: 7, reasoning: 3 },
  }
  const expected = {
    'gen_ai.usage.input_tokens': 10,
    'gen_ai.usage.cache_read.input_tokens': 4,
    'gen_ai.usage.output_tokens': 7,
    'gen_ai.usage.reasoning.output_tokens': 3,
  }
  expect(readUsage(usage)).toEqual({ ...expected, 'gen_ai.usage.cache_creation.input_tokens': 2 })
  const second = { inputTokens: 10, outputTokens: 7, cachedInputTokens: 4, reasoningTokens: 3 }
  expect(readUsage(second)).toEqual(expected)
})

test.each([
  undefined,
  null,
  'many',
  {},
  { inputTokens: null, outputTokens: undefined },
  { inputTokens: { total: -1 }, outputTokens: { total: Number.NaN } },
  { inputTokens: { total: '10' }, outputTokens: 1e300 },
])('%j counts nothing', (usage) => {
  expect(readUsage(usage)).toEqual({})
})
