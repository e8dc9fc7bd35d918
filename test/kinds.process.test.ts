import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { slowOnly } from './selection.ts'

const files = execFileSync('git', ['ls-files', '*.test.ts', '*.test.tsx'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => existsSync(file))

test('the name of a test file outside `src` shows its kind', () => {
  const outside = files.filter((file) => !/^packages\/[^/]+\/src\//.test(file))
  expect(outside.length).toBeGreaterThan(300)
  expect(outside.filter((file) => !/\.(unit|process|network|terminal)\.test\.tsx?$/.test(file))).toEqual([])
})

test('every test file of test/selection.ts exists', () => {
  expect(slowOnly.filter((file) => !existsSync(file))).toEqual([])
})
