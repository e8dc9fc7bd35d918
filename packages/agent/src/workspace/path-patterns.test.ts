import fc from 'fast-check'
import ignore from 'ignore'
import { expect, test } from 'vitest'
import { scaled } from '../../../../test/support/scaled.ts'
import { PathPatterns } from './path-patterns.ts'

test('the filter by names changes nothing', () => {
  const part = fc.constantFrom('a', 'b', 'A', '*', '**', '?', 'a*', '*.b', '[ab]', 'x.b', '\\*')
  const pattern = fc
    .tuple(
      fc.constantFrom('', '', '!', '/'),
      fc.array(part, { minLength: 1, maxLength: 3 }),
      fc.constantFrom('', '/', ' '),
    )
    .map(([start, parts, end]) => start + parts.join('/') + end)
  const path = fc.array(fc.constantFrom('a', 'b', 'ab', 'x.b', '*', 'B'), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(fc.array(pattern, { minLength: 1, maxLength: 4 }), path, (patterns, parts) => {
      const expected = ignore()
        .add(patterns as string[])
        .ignores(`${parts.join('/').toLowerCase()}/`)
      expect(new PathPatterns(patterns, []).match(`/${parts.join('/')}`) !== null).toBe(expected)
    }),
    { numRuns: scaled(2_000) },
  )
})

test('the pattern is returned as it was written', () => {
  expect(new PathPatterns(['*.É'], []).match('/a.e\u0301')).toBe('*.É')
  expect(new PathPatterns(['a', '# comment', ''], []).match('/b')).toBeNull()
})
