import { expect, test } from 'vitest'
import { lineExpression, searchQuery } from './search-query.ts'

const withoutRipgrep = (pattern: string, ignoresCase = false): RegExp =>
  lineExpression(searchQuery(pattern, false, ignoresCase), 'it is not installed')

test('text that no line contains is rejected, also as a literal', () => {
  for (const isLiteral of [true, false]) {
    expect(() => searchQuery('a\nb', isLiteral, false)).toThrow('got a line break')
    expect(() => searchQuery('a\0', isLiteral, false)).toThrow('got a NUL')
    expect(() => searchQuery('\ud800', isLiteral, false)).toThrow('surrogate')
  }
})

test.each([
  ['if (x) {', 'if (x) \\{'],
  ['a{b}c{,2}', 'a\\{b\\}c\\{,2\\}'],
  ['a{2}b{1,}[{]\\{', 'a{2}b{1,}[\\{]\\{'],
  ['\\x{41}\\p{Lu}\\b{start}{', '\\x{41}\\p{Lu}\\b{start}\\{'],
])('a brace that is not a repetition is an ordinary character: %s', (pattern, expected) => {
  expect(searchQuery(pattern, false, false).pattern).toBe(expected)
  expect(searchQuery(pattern, true, false).pattern).toBe(pattern)
})

test.each([
  ['func main\\(\\) {', 'func main() {'],
  ['arr\\[0\\] && x--', 'arr[0] && x--'],
  ['\\"a\\-b\\"', '"a-b"'],
  ['[^\\n]\\d\\x41', '-1A'],
  ['^.$', '😀'],
  ['[😀é]', '😀'],
  ['(?i)foo', 'FOO'],
  ['foo]', 'foo]'],
  ['C:\\\\pics', 'C:\\pics'],
])('without ripgrep, %s finds %s', (pattern, line) => {
  expect(withoutRipgrep(pattern).test(line)).toBe(true)
})

test('a literal is searched for as it is', () => {
  expect(lineExpression(searchQuery('a.[b', true, true), '').source).toBe('a\\.\\[b')
  expect(lineExpression(searchQuery('(?i)é', true, true), '').test('(?I)É')).toBe(true)
})

test.each([
  ['\\p{L}', '\\\\p'],
  ['[a\\PL]', '\\\\P'],
  ['\\Bfoo', '\\\\B'],
  ['(a)\\1', '\\\\1'],
  ['\\x{41}', '\\\\x'],
  ['\\b{start}', '\\\\b{'],
  ['\\<foo', '\\\\<'],
  ['foo(?!bar)', '(?!'],
  ['(?<=a)b', '(?<='],
  ['a\\nb', '\\\\n'],
  ['\\y', '\\\\y'],
  ['[]a]', '[]'],
  ['[[:alpha:]_]', '[['],
  ['[^a[]', '[^a['],
  ['[a-z&&x]', '[a-z&&'],
  ['x[a--b]', '[a--'],
])('without ripgrep, %s is rejected rather than read in another way', (pattern, part) => {
  expect(() => withoutRipgrep(pattern)).toThrow(
    `pattern: "${part}" cannot be searched for without ripgrep; it is not installed; or pass literal: true`,
  )
})

test.each([
  ['(a', 'Unterminated group'],
  ['*a', 'Nothing to repeat'],
  ['(?x)a', 'Invalid group'],
  ['(?P<n>a)', 'Invalid group'],
])('without ripgrep, %s is rejected', (pattern, problem) => {
  expect(() => withoutRipgrep(pattern)).toThrow(
    `pattern: expected a regular expression, got an error without ripgrep: ${problem}; it is not installed; or pass`,
  )
})
