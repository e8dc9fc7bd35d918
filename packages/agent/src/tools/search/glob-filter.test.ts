import { expect, test } from 'vitest'
import { GlobFilter } from './glob-filter.ts'

const matches = (patterns: string[], path: string, hidden = false): boolean =>
  new GlobFilter(patterns, hidden, 'patterns').matches(path.split('/'))

test.each([
  ['*.ts', ['a.ts', 'src/deep/a.ts'], ['a.tsx', 'a.ts/b', '.a.ts', '.git/a.ts', '.x/a.ts']],
  ['/*.ts', ['a.ts'], ['src/a.ts']],
  ['./src/*.ts', ['src/a.ts'], ['src/x/a.ts', 'lib/src/a.ts']],
  ['src/**/*.ts', ['src/a.ts', 'src/x/y/a.ts'], ['a.ts', 'src/x/.y/a.ts', 'srcs/a.ts']],
  ['src/**', ['src/a', 'src/x/a'], ['src', 'a', 'src/.env']],
  ['src/', ['src/a', 'src/x/a'], ['a']],
  ['**/test/**', ['test/a', 'x/test/y/a'], ['tests/a']],
  ['**', ['a', 'x/a'], ['.a']],
  ['*.{ts,js}', ['a.ts', 'a.js'], ['a.md']],
  ['{src,lib/x}/*.ts', ['src/a.ts', 'lib/x/a.ts'], ['lib/a.ts']],
  ['a{,.b}.ts', ['a.ts', 'a.b.ts'], ['a..ts']],
  ['a{b', ['a{b'], ['ab']],
  ['[ab].ts', ['a.ts', 'b.ts'], ['c.ts']],
  ['[!ab].ts', ['c.ts'], ['a.ts']],
  ['[a-c]?.ts', ['ax.ts', 'cx.ts'], ['dx.ts', 'a.ts']],
  ['[x', ['[x'], ['x']],
  ['\\*.ts', ['*.ts'], ['a.ts']],
  ['.github/**', ['.github/x/a.yml'], ['github/a', '.github/.x']],
  ['.env*', ['.env', 'a/.env.local'], ['env']],
  ['*a*b*c*', ['xaxbxcx', 'abc'], ['acb']],
])('%s', (pattern, yes, no) => {
  expect(yes.filter((path) => !matches([pattern], path))).toEqual([])
  expect(no.filter((path) => matches([pattern], path))).toEqual([])
})

test('several patterns, and those that exclude', () => {
  expect(matches(['*.ts', '*.js'], 'a.js')).toBe(true)
  expect(matches(['*.ts', '!*.test.ts'], 'a.test.ts')).toBe(false)
  expect(matches(['!dist'], 'x/dist/a.ts')).toBe(false)
  expect(matches(['!dist'], 'src/a.ts')).toBe(true)
  expect(matches(['*.ts'], '.x/.a.ts', true)).toBe(true)
  expect(matches(['*'], '.git/config', true)).toBe(false)
})

test('enters only folders that may contain matches', () => {
  const enters = (pattern: string, path: string): boolean =>
    new GlobFilter([pattern], false, 'patterns').enters(path.split('/'))
  expect(enters('src/*/a.ts', 'src')).toBe(true)
  expect(enters('src/*/a.ts', 'lib')).toBe(false)
  expect(enters('src/*/a.ts', 'src/x/y')).toBe(false)
  expect(enters('**/a.ts', 'lib/x')).toBe(true)
  expect(enters('.github/**', '.github')).toBe(true)
  expect(enters('*', '.github')).toBe(false)
})

test.each(['..', '../a', 'a/../b', './', 'a\0'])('%j is rejected', (pattern) => {
  expect(() => matches([pattern], 'a')).toThrow(/^patterns: expected a pattern such as/)
})

test('hostile patterns take polynomial time', () => {
  const stars = `${'*a'.repeat(300)}b`
  expect(matches([stars], 'a'.repeat(250))).toBe(false)
  expect(matches([`${'**/a/'.repeat(200)}b`], 'a/'.repeat(1_000))).toBe(false)
  expect(matches(['{a,b}'.repeat(50)], 'x')).toBe(false)
})
