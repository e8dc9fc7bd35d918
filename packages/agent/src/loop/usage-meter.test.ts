import { expect, test } from 'vitest'
import type { ModelUsage } from '../models/model-error.ts'
import { checkPrices, UsageMeter, withEstimate } from './usage-meter.ts'

const usage = (input: number, output: number, cacheRead = 0): ModelUsage => ({
  inputTokens: input,
  cachedInputTokens: cacheRead,
  cacheWriteTokens: null,
  outputTokens: output,
  reasoningTokens: null,
})

test('sums up tokens and money, also for the meters above', () => {
  const prices = { 'test:a': { input: 3, output: 15, cacheRead: 0.3 } }
  const conversation = new UsageMeter('budget.conversation', { money: 1 }, prices)
  const turn = new UsageMeter('budget.turn', { tokens: 2_000_000 }, prices, conversation)
  turn.add('test:a', usage(100_000, 10_000, 50_000))
  expect(turn.total()).toMatchObject({ requests: 1, inputTokens: 100_000, outputTokens: 10_000 })
  expect(conversation.total().money).toBeCloseTo(0.315)
  expect(turn.exceeded()).toBeNull()
  turn.add('test:a', usage(250_000, 0))
  expect(turn.exceeded()).toContain('budget.conversation.money')
})

test('a budget in money requires a price', () => {
  const meter = new UsageMeter('budget.turn', { money: 1 }, {})
  expect(() => meter.assertPriced('test:a')).toThrow('the price of test:a is unknown')
  expect(() => new UsageMeter('budget.turn', { tokens: 1 }, {}).assertPriced('test:a')).not.toThrow()
})

test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('rejects a budget of %d', (tokens) => {
  expect(() => new UsageMeter('budget.turn', { tokens }, {})).toThrow('budget.turn.tokens')
})

test('usage that a provider does not report, or reports wrongly, counts as nothing', () => {
  const meter = new UsageMeter('budget.turn', { tokens: 10 }, {})
  meter.add('test:a', { ...usage(0, Number.NaN), inputTokens: null })
  expect(meter.exceeded()).toBeNull()
  meter.add('test:a', usage(9, 1))
  expect(meter.exceeded()).toBe('10 of 10 tokens are used (budget.turn.tokens)')
})

test('a price that is known above is used below, and added once', () => {
  const outer = new UsageMeter('budget.turn', { money: 1 }, { 'test:a': { input: 1, output: 1 } })
  const inner = new UsageMeter('budget.turn', {}, { 'test:b': { input: 2, output: 2 } }, outer)
  expect(() => inner.assertPriced('test:c')).toThrow('budget.turn.money: the price of test:c is unknown')
  inner.assertPriced('test:a')
  inner.add('test:a', usage(1_000_000, 0))
  inner.add('test:b', usage(1_000_000, 0))
  expect([inner.total().money, outer.total().money]).toEqual([3, 3])
  expect(inner.exceeded()).toContain('budget.turn.money')
})

test('what a provider does not report is estimated', () => {
  const estimate = { input: 100, minInput: 20, output: 10 }
  const estimated = { inputTokens: 100, outputTokens: 10 }
  expect(withEstimate({ ...usage(0, 0), inputTokens: null, outputTokens: null }, estimate)).toMatchObject(
    estimated,
  )
  expect(withEstimate(null, estimate)).toMatchObject(estimated)
  expect(withEstimate(usage(20, 3), estimate)).toEqual(usage(20, 3))
})

test('a count that cannot be true is replaced by the estimate', () => {
  const estimate = { input: 100, minInput: 20, output: 10 }
  expect(withEstimate(usage(0, 0), estimate)).toMatchObject({ inputTokens: 100, outputTokens: 10 })
  expect(withEstimate(usage(19, 2), estimate)).toMatchObject({ inputTokens: 100, outputTokens: 10 })
  expect(withEstimate(usage(1e6, 1e6), estimate)).toMatchObject({ inputTokens: 1e6, outputTokens: 1e6 })
})

test('a name that every object has is not a price', () => {
  const meter = new UsageMeter('budget.turn', { money: 1 }, {})
  expect(() => meter.assertPriced('constructor')).toThrow('unknown')
})

test.each([null, { input: 1 }, { input: 1, output: '1' }, { input: 1, output: 1, cacheRead: -1 }])(
  'rejects the price %j',
  (price) => {
    expect(() => checkPrices({ 'test:a': price as never })).toThrow('prices["test:a"]')
  },
)
