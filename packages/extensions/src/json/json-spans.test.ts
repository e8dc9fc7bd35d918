import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { escapeKey, JsonSpans } from './json-spans.ts'

describe('JsonSpans', () => {
  const text = `{
  "a": { "b/c": [1, // "a": 2
    { "d": "\\"}, \\n" }],
  },
  "__proto__": { "e~": null }, "a2": false, "a2": true
}`

  it.each([
    ['', 1, text],
    ['/a/b~1c/0', 2, '1'],
    ['/a/b~1c/1', 3, '{ "d": "\\"}, \\n" }'],
    ['/a/b~1c/1/d', 3, '"\\"}, \\n"'],
    ['/__proto__/e~0', 5, 'null'],
    ['/a2', 5, 'true'],
  ])('finds %s', (pointer, line, value) => {
    const span = new JsonSpans(text).at(pointer)!
    expect(span.line).toBe(line)
    expect(text.slice(span.start, span.end)).toBe(value)
  })

  it.each([
    ['/x', 1],
    ['/a/b~1c/7', 2],
    ['/a/b~1c/length', 2],
    ['/a/b~1c/1/x/y', 3],
    ['/a2/x', 5],
  ])('%s does not exist; its closest parent is in line %s', (pointer, line) => {
    const spans = new JsonSpans(text)
    expect(spans.at(pointer)).toBeNull()
    expect(spans.near(pointer).line).toBe(line)
  })

  it('finds every value of any document, however it is formatted', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2, '\t'), (value, indent) => {
        // -0 does not survive a round trip.
        const document = JSON.parse(JSON.stringify(value))
        const source = JSON.stringify(document, null, indent)
        const spans = new JsonSpans(source)
        for (const [pointer, expected] of pointersOf(document, '')) {
          const { start, end, line, keyStart } = spans.at(pointer)!
          expect(JSON.parse(source.slice(start, end))).toEqual(expected)
          expect(source.slice(0, keyStart).split('\n').length).toBe(line)
        }
      }),
      { numRuns: 200 },
    )
  })
})

function* pointersOf(value: unknown, pointer: string): Generator<[string, unknown]> {
  yield [pointer, value]
  if (typeof value !== 'object' || value === null) return
  for (const [key, inside] of Object.entries(value)) yield* pointersOf(inside, `${pointer}/${escapeKey(key)}`)
}
