import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** Calls that give another result in every run. `randomUUID` is allowed: it cannot be used to choose. */
const unseeded =
  /\b(?:Math\.random|randomInt|randomBytes|getRandomValues|randomFill(?:Sync)?)\b|new Random\([1-9]|\bseed: (?:\d|Number\()/

const files = globSync([
  'packages/*/src/**/*.test.{ts,tsx}',
  'packages/*/test/**/*.{ts,tsx,js,mjs}',
  'test/**/*.ts',
]).filter((file) => file !== 'test/chance.unit.test.ts')

test('every choice that a test makes by chance follows from its seed, so that each run has the same result', () => {
  expect(files.length).toBeGreaterThan(600)
  const found = files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, index) => (unseeded.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
  )
  expect(found, 'use testSeed() of test/support/seed.ts, or fast-check without a seed of its own').toEqual([])
})

test.each([
  'setTimeout(resolve, Math.random() * 30)',
  'const index = randomInt(3)',
  'const random = new Random(17)',
  'fc.assert(property, { numRuns: 5, seed: 1 })',
  'const key = randomBytes(8)',
])('finds %s', (line) => {
  expect(line).toMatch(unseeded)
})
