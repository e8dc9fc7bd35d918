import { maxJsonDepth } from '@curfew/core/internal'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonSyntaxError, parseJsonc } from './parse-jsonc.ts'

describe('parseJsonc', () => {
  it('agrees with JSON.parse on every JSON document', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (json) => {
        expect(parseJsonc(json)).toEqual({ value: JSON.parse(json), duplicateKeys: [] })
      }),
    )
  })

  it('rejects what JSON.parse rejects, unless it is a comment or a trailing comma', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ':',
      ',',
      '"a"',
      '"',
      '\\',
      '1',
      '-',
      '01',
      '.5',
      '1e',
      'true',
      'nul',
      '\t',
      '\u00a0',
      '\u0001',
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
        const text = parts.join('')
        if (/,\s*[\]}]/.test(text)) return
        expect(outcome(() => parseJsonc(text).value)).toEqual(outcome(() => JSON.parse(text)))
      }),
      { numRuns: 2_000 },
    )
  })

  it('allows comments, trailing commas and a byte order mark', () => {
    const text = '\uFEFF// top\n{ "a": [1, /* "]" */ 2,], // "\n "b": "//", }\n'
    expect(parseJsonc(text).value).toEqual({ a: [1, 2], b: '//' })
  })

  it('keeps __proto__ as an ordinary key', () => {
    const value = parseJsonc('{ "__proto__": { "polluted": true } }').value as { polluted?: boolean }
    expect(value.polluted).toBeUndefined()
    expect(Object.keys(value)).toEqual(['__proto__'])
  })

  it('uses the last of duplicate keys and reports them', () => {
    const text = '{ "a": { "b": 1,\n  "b": 2 }, "__proto__": 1, "__proto__": 2 }'
    const { value, duplicateKeys } = parseJsonc(text)
    expect(JSON.stringify(value)).toBe('{"a":{"b":2},"__proto__":2}')
    expect(duplicateKeys).toEqual([
      { path: 'a.b', line: 2, column: 3 },
      { path: '__proto__', line: 2, column: 29 },
    ])
  })

  it.each([
    ['{\n  "a": 1\n  "b": 2\n}', 'line 3, column 3: expected a comma, got "b"'],
    ['{ a: 1 }', 'line 1, column 3: unexpected a; keys and strings need double quotes'],
    ['', 'line 1, column 1: expected a value, got the end of the file'],
    ['{ "a": "x\n" }', 'line 1, column 8: the string is not closed'],
    ['[1] 2', 'line 1, column 5: expected the end of the file, got 2'],
    ['/* ', 'line 1, column 1: the comment is not closed'],
  ])('reports line and column: %j', (text, message) => {
    expect(() => parseJsonc(text)).toThrow(expect.objectContaining({ name: 'SyntaxError', message }))
  })

  it('bounds the depth, also for input that would overflow the stack', () => {
    const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`
    expect(parseJsonc(nested(maxJsonDepth)).value).toBeInstanceOf(Array)
    expect(() => parseJsonc(nested(maxJsonDepth + 1))).toThrow(
      'line 1, column 201: nested more than 200 levels deep',
    )
    expect(() => parseJsonc('{"a":'.repeat(100_000))).toThrow(JsonSyntaxError)
  })
})

function outcome(parse: () => unknown): unknown {
  try {
    return parse()
  } catch (error) {
    return error instanceof SyntaxError ? 'rejected' : error
  }
}
