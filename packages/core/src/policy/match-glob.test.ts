import fc from 'fast-check'
import { expect, test } from 'vitest'
import { escapeGlob, matchGlob } from './match-glob.ts'

test.each([
  ['*', '', true],
  ['*', 'anything at all', true],
  ['git *', 'git status', true],
  ['git *', 'git', false],
  ['*.ts', 'a/b.ts', true],
  ['a?c', 'abc', true],
  ['a?c', 'ac', false],
  ['a*b*c', 'aXXbYYc', true],
  ['a*b*c', 'aXXcYYb', false],
  ['\\*', '*', true],
  ['\\*', 'x', false],
  ['a\\', 'a\\', true],
  ['', '', true],
  ['', 'x', false],
])('pattern %j on %j: %s', (pattern, text, expected) => {
  expect(matchGlob(pattern, text)).toBe(expected)
})

test('an escaped string matches itself', () => {
  fc.assert(fc.property(fc.string(), (text) => matchGlob(escapeGlob(text), text)))
})

test('an escaped string matches nothing else', () => {
  fc.assert(fc.property(fc.string(), fc.string(), (a, b) => matchGlob(escapeGlob(a), b) === (a === b)))
})

test('agrees with the equivalent regular expression', () => {
  const piece = fc.constantFrom('a', 'b', '*', '?')
  fc.assert(
    fc.property(fc.array(piece), fc.array(fc.constantFrom('a', 'b')), (pattern, text) => {
      const expression = new RegExp(`^${pattern.join('').replaceAll('*', '.*').replaceAll('?', '.')}$`)
      expect(matchGlob(pattern.join(''), text.join(''))).toBe(expression.test(text.join('')))
    }),
  )
})

test('takes polynomial time for any pattern', () => {
  expect(matchGlob('*a'.repeat(50), 'a'.repeat(5_000))).toBe(true)
  expect(matchGlob(`${'*a'.repeat(50)}b`, 'a'.repeat(5_000))).toBe(false)
})
