import { describe, expect, test } from 'vitest'
import { shortenArgs } from './shorten-args.ts'

test.each([
  [{}, '{}'],
  [{ path: 'a.ts', depth: 3, all: true, none: null }, '{"path":"a.ts","depth":3,"all":true,"none":null}'],
  [{ edits: [{ from: 'a', to: 'b' }] }, '{"edits":[{"from":"a","to":"b"}]}'],
  ['not JSON', '"not JSON"'],
  [null, 'null'],
  [undefined, 'null'],
])('%j is kept', (args, json) => {
  expect(shortenArgs(args)).toBe(json)
})

describe('what is too long', () => {
  test('a long string is shortened, and the rest stays readable JSON', () => {
    const args = JSON.parse(shortenArgs({ path: 'a.ts', content: 'x'.repeat(1_000_000) }))
    expect(args).toEqual({ path: 'a.ts', content: `${'x'.repeat(400)}… 999,600 more characters` })
  })

  test('many entries, items and levels are shortened', () => {
    const wide = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`k${index}`, 1]))
    const args = JSON.parse(shortenArgs({ wide, list: new Array(100_000).fill(1), deep: nest(100) }))
    expect(Object.keys(args.wide)).toHaveLength(51)
    expect(args.list).toHaveLength(51)
    expect(args.list.at(-1)).toBe('… 99950 more items')
    expect(JSON.stringify(args.deep)).toContain('…')
  })

  test('the result is bounded, whatever the arguments are', () => {
    const texts = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`key ${index}`, 'y'.repeat(900)]),
    )
    for (const args of [
      texts,
      'z'.repeat(5_000_000),
      [texts, texts],
      nest(10_000),
      { [`${'k'.repeat(1e6)}`]: 1 },
    ]) {
      const json = shortenArgs(args)
      expect(json.length).toBeLessThanOrEqual(2_001)
      expect(json).toContain('…')
    }
  })

  test('a pair of surrogates is not split', () => {
    expect(shortenArgs({ text: '😀'.repeat(3_000) })).not.toMatch(/\\ud83d"|\\ud83d…/)
  })
})

test('a key __proto__ is an ordinary one', () => {
  const args = JSON.parse(`{"__proto__":${JSON.stringify('x'.repeat(3_000))}}`)
  expect(shortenArgs(args)).toContain('{"__proto__":"xxx')
})

function nest(levels: number): unknown {
  let value: unknown = 'inside'
  for (let level = 0; level < levels; level++) value = { value }
  return value
}
