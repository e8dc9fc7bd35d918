import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyEdit, editJson } from './json-edit.ts'
import { escapeKey, JsonSpans } from './json-spans.ts'

describe('JsonSpans', () => {
  const text = `{
  "a": { "b/c": [1,
    { "d": "\\"}, \\n" }]
  },
  "__proto__": { "e~": null }, "a2": true
}`

  it.each([
    ['', 1, text],
    ['/a/b~1c/0', 2, '1'],
    ['/a/b~1c/1', 3, '{ "d": "\\"}, \\n" }'],
    ['/a/b~1c/1/d', 3, '"\\"}, \\n"'],
    ['/__proto__/e~0', 5, 'null'],
    ['/a2', 5, 'true'],
  ])('%s', (pointer, line, value) => {
    const span = new JsonSpans(text, [pointer]).at(pointer)!
    expect(span.line).toBe(line)
    expect(text.slice(span.start, span.end)).toBe(value)
  })

  it.each([
    ['/x', 1],
    ['/a/b~1c/7', 2],
    ['/a/b~1c/1/x/y', 3],
    ['/a2/x', 5],
  ])('%s is not there, and would stand in line %s', (pointer, line) => {
    const spans = new JsonSpans(text, [pointer])
    expect(spans.at(pointer)).toBeNull()
    expect(spans.near(pointer).line).toBe(line)
  })

  it('finds every value of any JSON, however it is written', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2, '\t'), (value, indent) => {
        // What is written comes back as something else: -0.
        const document = JSON.parse(JSON.stringify(value))
        const written = JSON.stringify(document, null, indent)
        const all = [...pointersOf(document, '')]
        const spans = new JsonSpans(
          written,
          all.map(([pointer]) => pointer),
        )
        for (const [pointer, expected] of all) {
          const { start, end, line, keyStart } = spans.at(pointer)!
          expect(JSON.parse(written.slice(start, end))).toEqual(expected)
          expect(written.slice(0, keyStart).split('\n').length).toBe(line)
        }
      }),
      { numRuns: 200 },
    )
  })

  it('is not slowed down by depth or by escapes', () => {
    const depth = 200_000
    const deep = `${'[{"a":'.repeat(depth)}"${'\\\\'.repeat(500_000)}"${'}]'.repeat(depth)}`
    const startedAt = performance.now()
    const pointer = '/0/a'.repeat(depth)
    const spans = new JsonSpans(deep, ['/0/a/0/a', pointer])
    expect([spans.at('/0/a/0/a')?.line, spans.near(`${pointer}/x`).line]).toEqual([1, 1])
    // Far below what work that grows with the square would take.
    expect(performance.now() - startedAt).toBeLessThan(20_000)
  })
})

describe('editJson', () => {
  const change = (text: string, pointer: string, value: unknown): string | null => {
    const edit = editJson(text, pointer, value)
    return edit && applyEdit(text, edit)
  }

  it.each([
    ['{"a":1}', '/a', 2, '{"a":2}'],
    ['{"a":1}', '/b', 'x', '{"a":1, "b": "x" }'],
    ['{}', '/b', [1, 'x'], '{ "b": [1, "x"] }'],
    ['{\n  "a": {}\n}', '/a/b', true, '{\n  "a": {\n    "b": true\n  }\n}'],
    ['{\n\t"a": 1\n}\n', '/b', { c: 1 }, '{\n\t"a": 1,\n\t"b": {\n\t\t"c": 1\n\t}\n}\n'],
    ['{ "a": 1, "b": 2 }', '/a', undefined, '{ "b": 2 }'],
    ['{ "a": 1, "b": 2 }', '/b', undefined, '{ "a": 1 }'],
    ['{\n  "a": [1, 2]\n}', '/a', [3], '{\n  "a": [3]\n}'],
    ['{\n  "a": { "b": 1 }\n}', '/a', { c: 2 }, '{\n  "a": { "c": 2 }\n}'],
    ['{\n  "a": {\n    "b": 1\n  }\n}', '/a', { c: 2 }, '{\n  "a": {\n    "c": 2\n  }\n}'],
  ])('%s %s', (text, pointer, value, expected) => {
    expect(change(text, pointer, value)).toBe(expected)
  })

  it.each([
    ['[1]', '/x'],
    ['{"a":1}', '/a/b'],
    ['{"a":1}', '/x/y'],
  ])('does not make up what is not there: %s %s', (text, pointer) => {
    expect(editJson(text, pointer, 1)).toBeNull()
  })

  it('changes only what it is asked to, in any JSON', () => {
    const objects = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 })
    fc.assert(
      fc.property(objects, fc.constantFrom(0, 4), fc.jsonValue(), (value, indent, added) => {
        const document = JSON.parse(JSON.stringify(value)) as Record<string, unknown>
        const text = JSON.stringify(document, null, indent)
        for (const key of [...Object.keys(document), 'another']) {
          const expected = Object.assign(Object.create(null), document)
          expected[key] = JSON.parse(JSON.stringify(added))
          const edited = JSON.parse(change(text, `/${escapeKey(key)}`, added)!)
          expect(Object.assign(Object.create(null), edited)).toEqual(expected)
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
