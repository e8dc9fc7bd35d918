import { expect, test } from 'vitest'
import { startFixture } from './support/fixture-process.ts'

test('SQLite is loaded without its warning, and no other warning is lost', async () => {
  const child = startFixture('load-sqlite.js', [], { env: { NODE_OPTIONS: '' } })
  expect(await child.ended()).toBe(0)
  expect(child.output()).not.toMatch(/sqlite/i)
  expect(child.output()).toMatch(/ExperimentalWarning: before\n(?:.*\n)*.*ExperimentalWarning: after\n/)
})
