import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isTooDeep, maxJsonDepth, parseJson } from './parse-json.ts'

const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`

test('parses like JSON.parse', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), (json) => {
      expect(parseJson(json)).toEqual(JSON.parse(json))
    }),
  )
})

test('rejects JSON that is nested too deeply', () => {
  expect(parseJson(nested(maxJsonDepth))).toBeInstanceOf(Array)
  expect(() => parseJson(nested(maxJsonDepth + 1))).toThrow(SyntaxError)
  expect(() => parseJson('{"a":'.repeat(20_000))).toThrow('nested more than 200 levels deep')
})

test('ignores brackets inside strings with escapes', () => {
  const text = '["\\'.repeat(300)
  expect(parseJson(JSON.stringify({ text }))).toEqual({ text })
  expect(() => parseJson(`["\\\\",${nested(maxJsonDepth)}]`)).toThrow(SyntaxError)
})

test('reports an unterminated string as a syntax error', () => {
  expect(() => parseJson(`"${'['.repeat(300)}`)).toThrow(SyntaxError)
  expect(() => parseJson(`"${'\\'.repeat(301)}`)).toThrow(SyntaxError)
})

test('isTooDeep applies the same limit to values', () => {
  expect(isTooDeep(JSON.parse(nested(maxJsonDepth)))).toBe(false)
  expect(isTooDeep(JSON.parse(nested(maxJsonDepth + 1)))).toBe(true)
  const circle: { self?: unknown } = {}
  circle.self = circle
  expect(isTooDeep(circle)).toBe(true)
  for (const flat of [null, undefined, 1, 'a', new Uint8Array(10)]) expect(isTooDeep(flat)).toBe(false)
})

test('isTooDeep handles shared references in linear time', () => {
  let value: unknown = 1
  for (let level = 0; level < 100; level++) value = [value, value]
  expect(isTooDeep(value)).toBe(false)
})

test('isTooDeep visits a shared object once', () => {
  let visits = 0
  const ownKeys = (): string[] => {
    visits++
    return []
  }
  const shared = new Proxy({}, { ownKeys })
  let value: unknown = shared
  for (let level = 0; level < maxJsonDepth - 2; level++) value = { value, shared, again: [shared] }
  expect(isTooDeep(value)).toBe(false)
  expect(visits).toBe(1)
  expect(isTooDeep({ shared: [[shared]], value: [value] })).toBe(true)
})
