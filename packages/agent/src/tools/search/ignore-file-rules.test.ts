import { expect, test } from 'vitest'
import { IgnoreFileRules, type IgnoreVerdict } from './ignore-file-rules.ts'

const verdict = (rules: string, path: string): IgnoreVerdict =>
  new IgnoreFileRules(rules).match(
    () => path.replace(/\/$/, ''),
    path.split('/').filter(Boolean).at(-1)!,
    path.endsWith('/'),
  )

// A path that ends with a slash is a folder.
test.each<[string, Record<string, IgnoreVerdict>]>([
  ['*.log', { 'a.log': 'ignored', 'x/a.log': 'ignored', 'a.txt': null }],
  ['dist/', { 'dist/': 'ignored', 'x/dist/': 'ignored', dist: null }],
  ['/dist', { dist: 'ignored', 'x/dist': null }],
  ['a/b', { 'a/b': 'ignored', 'x/a/b': null }],
  ['**/b', { b: 'ignored', 'x/y/b': 'ignored' }],
  ['a/**', { 'a/x': 'ignored', 'a/': null }],
  ['a/**/b', { 'a/b': 'ignored', 'a/x/y/b': 'ignored', 'a/c': null }],
  ['*.log\n!keep.log', { 'a.log': 'ignored', 'keep.log': 'included' }],
  ['!a\na', { a: 'ignored' }],
  ['# a\n\n  \n\\#b\n\\!c', { '# a': null, '#b': 'ignored', '!c': 'ignored' }],
  ['a \nb\\ \r\nc\r\n', { a: 'ignored', 'b ': 'ignored', c: 'ignored' }],
  ['\xef\xbb\xbfa', { a: 'ignored' }],
  ['{a,b}.ts\n{c', { 'a.ts': 'ignored', 'b.ts': 'ignored', '{c': null }],
  ['a\\', { 'a\\': null }],
  ['//a\nb//c', { a: null, 'b/c': null }],
])('%j', (rules, expected) => {
  const found = Object.fromEntries(Object.keys(expected).map((path) => [path, verdict(rules, path)]))
  expect(found).toEqual(expected)
})
