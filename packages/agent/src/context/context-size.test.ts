import { expect, test } from 'vitest'
import type { HistoryItem } from '../history/history-item.ts'
import { ContextSize } from './context-size.ts'

/** An item with so many tokens. */
const user = (tokens: number): HistoryItem => ({
  id: tokens,
  at: 1,
  type: 'user',
  source: 'person',
  parts: [{ type: 'text', text: 'x'.repeat((tokens - 4) * 4) }],
})

test('is an estimate until the provider has reported usage', () => {
  const size = new ContextSize()
  const items = [user(100)]
  expect(size.tokens(items, 50)).toBe(150)
  items.push(user(200))
  expect(size.tokens(items, 50)).toBe(350)
  size.received(null, items, 50)
  expect(size.tokens(items, 50)).toBe(350)
})

test('what was added since is estimated', () => {
  const size = new ContextSize()
  const items = [user(100), user(200)]
  size.received(1_000, items, 0)
  expect(size.tokens(items, 0)).toBe(1_000)
  items.push(user(50))
  expect(size.tokens(items, 0)).toBe(1_050)
})

test('what was removed since was as dense as the rest', () => {
  const size = new ContextSize()
  size.received(600, [user(100), user(200)], 0)
  expect(size.tokens([user(200)], 0)).toBe(400)
  expect(size.tokens([], 0)).toBe(0)
})

test('a provider that reports too little is not believed', () => {
  const size = new ContextSize()
  const items = [user(1_000)]
  size.received(800, items, 0)
  expect(size.tokens(items, 0)).toBe(800)
  // Such as one that does not count what it has cached.
  size.received(10, items, 0)
  expect(size.tokens(items, 0)).toBe(750)
  expect(size.tokens([], 0)).toBe(0)
})
