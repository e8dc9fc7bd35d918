import { beforeAll, describe, expect, test } from 'vitest'
import { runClientSuite } from './client-suite.ts'
import { expectedClientFailures } from './expected-failures.ts'
import { readRequirements } from './requirements.ts'

const revisions = (['2025-11-25', '2026-07-28'] as const).map((revision) =>
  readRequirements(revision, 'client'),
)

describe.each(revisions)('the official conformance suite against our client: $revision', (requirements) => {
  const { revision, scored, unscored } = requirements
  let results: ReadonlyMap<string, string>
  beforeAll(async () => {
    results = await runClientSuite(revision)
  }, 300_000)

  test.each(scored)('%s', (scenario) => {
    expect(results.get(scenario)).toMatch(/^✓ [1-9]\d* passed, 0 failed$/)
  })

  test.each([...unscored])('%s (%s)', (scenario) => {
    const isExpected = Object.hasOwn(expectedClientFailures, scenario)
    expect(results.get(scenario)).toMatch(isExpected ? /^✗/ : /^✓/)
  })
})

test('only unscored scenarios are expected to fail', () => {
  expect(revisions.map(({ scored }) => scored.length)).toEqual([18, 32])
  const scored = new Set(revisions.flatMap((revision) => revision.scored))
  expect(Object.keys(expectedClientFailures).filter((scenario) => scored.has(scenario))).toEqual([])
})
