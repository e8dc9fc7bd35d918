import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyEdit, editJson } from './edit-json.ts'
import { escapeKey } from './json-spans.ts'
import { parseJsonc } from './parse-jsonc.ts'

const change = (text: string, pointer: string, value: unknown): string | null => {
  const edit = editJson(text, pointer, value)
  return edit && applyEdit(text, edit)
}

describe('editJson', () => {
  it.each([
    ['{"a":1}', '/a', 2, '{"a":2}'],
    ['{"a":1}', '/b', 'x', '{"a":1, "b": "x" }'],
    ['{}', '/b', [1, 'x'], '{ "b": [1, "x"] }'],
    ['{}', '/b', { c: 1 }, '{\n  "b": {\n    "c": 1\n  }\n}'],
    ['{\n  "a": {}\n}', '/a/b', true, '{\n  "a": {\n    "b": true\n  }\n}'],
    ['{\n\t"a": 1\n}\n', '/b', { c: 1 }, '{\n\t"a": 1,\n\t"b": {\n\t\t"c": 1\n\t}\n}\n'],
    ['{ "a": 1, "b": 2 }', '/a', undefined, '{ "b": 2 }'],
    ['{ "a": 1, "b": 2 }', '/b', undefined, '{ "a": 1 }'],
    ['{ "a": 1 }', '/a', undefined, '{}'],
    ['{\n  "a": [1, 2]\n}', '/a', [3], '{\n  "a": [3]\n}'],
    ['{\n  "a": { "b": 1 }\n}', '/a', { c: 2 }, '{\n  "a": { "c": 2 }\n}'],
    ['{\n  "a": {\n    "b": 1\n  }\n}', '/a', { c: 2 }, '{\n  "a": {\n    "c": 2\n  }\n}'],
    ['[1, 2, 3]', '/1', undefined, '[1, 3]'],
    ['[]', '/-', 1, '[ 1 ]'],
    ['{"a":[1]}', '/a/-', 2, '{"a":[1, 2 ]}'],
    ['{\n  "a": []\n}', '/a/-', 1, '{\n  "a": [\n    1\n  ]\n}'],
    ['{\n  "a": [\n    1 // one\n  ]\n}', '/a/-', 2, '{\n  "a": [\n    1, // one\n    2\n  ]\n}'],
    ['{"-":1}', '/-', 2, '{"-":2}'],
    ['{}', '/-', 1, '{ "-": 1 }'],
    ['{ "a": 1, "a": 2 }', '/a', 3, '{ "a": 1, "a": 3 }'],
    ['{\n  "a": 1\n}', '/a', undefined, '{}'],
    ['{\n  // a\n  "a": 1\n}', '/a', undefined, '{\n  // a\n  \n}'],
    ['{\r\n  "a": 1\r\n}\r\n', '/b', { c: 1 }, '{\r\n  "a": 1,\r\n  "b": {\r\n    "c": 1\r\n  }\r\n}\r\n'],
  ])('%s %s', (text, pointer, value, expected) => {
    expect(change(text, pointer, value)).toBe(expected)
  })

  const commented = `{
  // Above a
  "a": ["x", "y"], // beside a
  /* above b */
  "b": 1, // beside b
  "c": { "d": 2, }, // beside c
}
`

  it('keeps comments and trailing commas when it adds a member', () => {
    expect(change(commented, '/e', { f: [1] })).toBe(
      commented.replace('// beside c\n', '// beside c\n  "e": {\n    "f": [\n      1\n    ]\n  }\n'),
    )
    expect(change('{\n  "a": 1 // one\n}', '/b', 2)).toBe('{\n  "a": 1, // one\n  "b": 2\n}')
    expect(change('{ // empty\n}', '/b', 2)).toBe('{ // empty\n  "b": 2\n}')
  })

  it('keeps the comments of other members when it removes one', () => {
    expect(change(commented, '/b', undefined)).toBe(commented.replace('"b": 1, // beside b\n  ', ''))
    expect(change(commented, '/a', undefined)).toBe(commented.replace('"a": ["x", "y"], // beside a\n  ', ''))
    const last = '{\n  "a": 1, // one\n  // Above b\n  "b": 2 // two\n}'
    expect(change(last, '/b', undefined)).toBe('{\n  "a": 1 // one\n  // Above b\n}')
  })

  it.each(['\n', '\r\n'])('removes whole lines, with the line ending %j', (lineEnd) => {
    const lines = (...all: string[]): string => all.join(lineEnd)
    const text = lines(
      '{',
      '  "a": {',
      '    "b": 1, // one',
      '    "c": 2,',
      '    "d": 3, // three',
      '  },',
      '}',
    )
    const without = (line: string): string => text.replace(`${line}${lineEnd}`, '')
    expect(change(text, '/a/b', undefined)).toBe(without('    "b": 1, // one'))
    expect(change(text, '/a/c', undefined)).toBe(without('    "c": 2,'))
    expect(change(text, '/a/d', undefined)).toBe(without('    "d": 3, // three'))
    const last = lines('{', '  "a": 1,', '  "b": 2 // two', '}')
    expect(change(last, '/b', undefined)).toBe(lines('{', '  "a": 1', '}'))
    expect(change(lines('{', '  "a": 1, "b": 2', '}'), '/a', undefined)).toBe(lines('{', '  "b": 2', '}'))
  })

  it.each([
    ['[1]', '/x'],
    ['{"a":1}', '/a/b'],
    ['{"a":1}', '/x/y'],
  ])('does not create missing parents: %s %s', (text, pointer) => {
    expect(editJson(text, pointer, 1)).toBeNull()
  })

  it('changes only the given member of any document, with or without comments', () => {
    const objects = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 })
    const changed = fc.oneof(fc.jsonValue(), fc.constant(undefined))
    fc.assert(
      fc.property(
        objects,
        fc.constantFrom(0, 4),
        fc.boolean(),
        changed,
        (value, indent, commented, added) => {
          const document = JSON.parse(JSON.stringify(value)) as Record<string, unknown>
          const plain = JSON.stringify(document, null, indent)
          const text = commented && indent > 0 ? plain.replace(/(?=\n)/g, ' // "x", }') : plain
          for (const key of [...Object.keys(document), 'another']) {
            const edited = change(text, `/${escapeKey(key)}`, added)
            if (added === undefined && !Object.hasOwn(document, key)) {
              expect(edited).toBeNull()
              continue
            }
            const expected = new Map(Object.entries(document))
            if (added === undefined) expected.delete(key)
            else expected.set(key, JSON.parse(JSON.stringify(added)))
            expect(new Map(Object.entries(parseJsonc(edited!).value as object))).toEqual(expected)
          }
        },
      ),
      { numRuns: 300 },
    )
  })
})
