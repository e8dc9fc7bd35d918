import { expect, test } from 'vitest'
import { findMentions, maxMentions } from './find-mentions.ts'

const isServer = (name: string): boolean => name === 'docs'
const found = (text: string) =>
  findMentions(text, isServer).map((mention) =>
    mention.type === 'resource' ? [mention.server, mention.uri] : [mention.type, mention.value],
  )

test.each<[string, string[][]]>([
  ['@src/a.ts', [['path', 'src/a.ts']]],
  ['Look at @src/a.ts, please.', [['path', 'src/a.ts']]],
  ['Is it @src/a.ts?', [['path', 'src/a.ts']]],
  ['(see @README.md)', [['path', 'README.md']]],
  [
    '@"my file.txt" and @my\\ file.txt',
    [
      ['path', 'my file.txt'],
      ['path', 'my file.txt'],
    ],
  ],
  ['@.', [['path', '.']]],
  ['@../a', [['path', '../a']]],
  ['@~/notes', [['path', '~/notes']]],
  ['@src/**/*.ts', [['glob', 'src/**/*.ts']]],
  ['@src/{a,b}.ts', [['glob', 'src/{a,b}.ts']]],
  ['@app/[id]/page.tsx', [['glob', 'app/[id]/page.tsx']]],
  ['@https://example.com/a_(b)?x=1.', [['url', 'https://example.com/a_(b)?x=1']]],
  ['@docs:file:///a.md', [['docs', 'file:///a.md']]],
  ['@other:12', [['path', 'other:12']]],
  ['@src/docs:1', [['path', 'src/docs:1']]],
  [
    '"@a", \'@b\' `@c` <@d>',
    [
      ['path', 'a'],
      ['path', 'b'],
      ['path', 'c'],
      ['path', 'd'],
    ],
  ],
  ['me@example.com', []],
  ['\\@a', []],
  ['@ a', []],
  ['@', []],
  ['@@', []],
  ['@!', []],
])('%j mentions %j', (text, expected) => {
  expect(found(text)).toEqual(expected)
})

test('at most 100 mentions are found', () => {
  expect(findMentions('@a '.repeat(1_000))).toHaveLength(maxMentions)
})

test.each([
  ['@('.repeat(2_000_000), 0],
  [`@${')'.repeat(4_000)} `.repeat(500), 0],
  [' @"'.repeat(1_000_000), maxMentions],
  [`@${'a'.repeat(1_000_000)}`, 0],
])('hostile text takes linear time', (text, expected) => {
  const start = performance.now()
  expect(findMentions(text)).toHaveLength(expected)
  expect(performance.now() - start).toBeLessThan(5_000)
})
