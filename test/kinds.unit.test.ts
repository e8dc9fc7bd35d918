import { existsSync, globSync } from 'node:fs'
import { expect, test } from 'vitest'
import { both, slowOnly } from './selection.ts'

const outside = globSync('{packages/*/test,examples,test}/**/*.test.{ts,tsx}', {
  exclude: ['**/node_modules/**'],
})

test('the name of a test file outside `src` shows its kind', () => {
  expect(outside.length).toBeGreaterThan(300)
  expect(outside.filter((file) => !/\.(unit|process|network|terminal)\.test\.tsx?$/.test(file))).toEqual([])
})

test('every test file of test/selection.ts exists', () => {
  expect(slowOnly.filter((file) => !existsSync(file))).toEqual([])
  expect(both.filter((pattern) => globSync(pattern).length === 0)).toEqual([])
})

test.each([
  ['the gateway', /^packages\/(mcp\/|cli\/test\/mcp-)/],
  ['the agent', /^packages\/(agent\/|cli\/test\/prompt-)/],
  ['the journal', /^packages\/(journal\/|cli\/test\/recording-)/],
])('npm test includes tests of every kind for %s', (_, paths) => {
  const included = outside.filter((file) => paths.test(file) && !slowOnly.includes(file))
  // Unit tests next to the source are always included.
  for (const kind of ['process', 'network', 'terminal'])
    expect(included.filter((file) => file.includes(`.${kind}.`)).length, kind).toBeGreaterThan(0)
})
