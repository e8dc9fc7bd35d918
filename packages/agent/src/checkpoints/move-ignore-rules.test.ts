import { expect, test } from 'vitest'
import { moveIgnoreRules } from './move-ignore-rules.ts'

const move = (rule: string, ...below: string[]) => moveIgnoreRules(rule, below).split('\n').filter(Boolean)

test.each([
  ['node_modules', ['node_modules']],
  ['node_modules/', ['node_modules/']],
  ['*.log', ['*.log']],
  ['!keep.log', ['!keep.log']],
  ['# a comment', []],
  ['/packages/app/dist', ['/dist']],
  ['packages/app/dist/', ['/dist/']],
  ['!/packages/app/dist/keep', ['!/dist/keep']],
  ['/packages/*/dist', ['/dist']],
  ['/packages/other/dist', []],
  ['/dist', []],
  ['**/dist/x', ['/**/dist/x']],
  ['packages/**/dist', ['/**/dist']],
  ['packages/**', ['/**']],
  ['**/a/**/b/**/c/**/d', []],
  // The root itself: whoever works there wants its files to be covered.
  ['/packages/app', []],
  ['/packages/app/', []],
  ['/packages/', []],
  ['/pack[a-z]ges/app/dist', []],
  ['/packages/app/dist\r', ['/dist']],
])('%s', (rule, expected) => {
  expect(move(rule, 'packages', 'app')).toEqual(expected)
})

test('without folders in between, the rules are unchanged', () => {
  expect(moveIgnoreRules('# a\n/b\n', [])).toBe('# a\n/b\n')
})
