import { expect, test } from 'vitest'
import { searchQuery } from './search-query.ts'

const regex = (pattern: string) => searchQuery(pattern, false, false)

test.each([
  ['(a', 'a ( that is not closed; to search for it, write \\( (at character 1)'],
  ['a)', 'a ) without a (; to search for it, write \\) (at character 2)'],
  ['a[b', 'a [ that is not closed; to search for it, write \\[ (at character 2)'],
  ['*a', 'nothing before *; to search for it, write \\* (at character 1)'],
  ['a**', 'a repetition of a repetition; put the first one in parentheses (at character 1)'],
  ['a{3,1}', 'a repetition whose maximum is below its minimum: {3,1} (at character 2)'],
  ['a{2000}', 'a repetition of more than 1000: {2000} (at character 2)'],
  [
    '(a{100}){100}b',
    'repetitions that write out to more than 1000 parts; use a smaller count (at character 1)',
  ],
  ['(?=a)', 'look-around, which is not supported'],
  ['(?<!a)', 'look-around, which is not supported'],
  ['(a)\\1', 'a backreference \\1, which is not supported'],
  ['(?x)a', 'a flag or a kind of group that is not supported'],
  ['a(?i)b', 'a flag or a kind of group that is not supported'],
  ['\\y', 'an unknown escape \\y; to search for a backslash, write \\\\ (at character 1)'],
  // Its meaning next to invalid bytes depends on the version of ripgrep.
  ['\\B', 'an unknown escape \\B'],
  ['a\\', 'a \\ at the end'],
  ['a\\nb', 'a line break, which no line contains'],
  ['\\p{Foo}', 'an unknown property'],
  ['\\x{110000}', 'an incomplete or invalid \\x'],
  ['[b-a]', 'an invalid range in a class'],
  ['[\\', 'a [ that is not closed'],
  ['('.repeat(60), 'more than 50 nested groups'],
])('%s is rejected', (pattern, message) => {
  expect(() => regex(pattern)).toThrow(`pattern: expected a regular expression, got ${message}`)
})

test('text that no line contains is rejected, also as a literal', () => {
  for (const literal of [true, false]) {
    expect(() => searchQuery('a\nb', literal, false)).toThrow('got a line break')
    expect(() => searchQuery('a\0', literal, false)).toThrow('got a NUL')
    expect(() => searchQuery('\ud800', literal, false)).toThrow('surrogate')
  }
})

test('a brace that is not a repetition is an ordinary character', () => {
  expect(regex('if (x) {').rust).toBe('if\\x{20}x\\x{20}\\x{7b}')
  expect(new RegExp(regex('a{b}c{,2}').lines.plain, 'v').test('a{b}c{,2}')).toBe(true)
})

test('(?i) at the start ignores case', () => {
  expect(regex('(?i)foo')).toMatchObject({ ignoresCase: true, rust: 'foo', lines: { required: null } })
})

test.each([
  ['.*foo.*', 'foo'],
  ['\\w+foo\\s*', '\\wfoo'],
  ['(?:a+b)+c{2,}', 'abc{2}'],
  ['a*|b+', '|b'],
  ['^\\s*foo', '^\\s*foo'],
])('%s is simplified to %s', (pattern, expected) => {
  expect(regex(pattern).rust).toBe(expected)
})

test.each([
  ['function\\s+\\w+Handler', ['function']],
  ['foo|barn|x{3}yz', ['foo', 'barn', 'yz']],
  ['foo|\\w', null],
  ['(?:abc)+d?', ['abc']],
  ['a(bc)d', ['abcd']],
  ['x\\dy', null],
  ['[ab]cd', ['cd']],
])('every line that matches %s contains one of %j', (pattern, expected) => {
  expect(regex(pattern).lines.required).toEqual(expected)
})
