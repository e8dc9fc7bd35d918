import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isSlowRun } from '../../../../test/support/scaled.ts'
import { expectedFailures } from './expected-failures.ts'
import { type Requirements, readRequirements } from './requirements.ts'
import { type Findings, runSuite } from './run-suite.ts'
import { type Subject, startBareSdk, startGateway } from './start-subject.ts'

const of2025 = readRequirements('2025-11-25')
const of2026 = readRequirements('2026-07-28')
const both = [of2025, of2026]

const subjects: readonly [string, () => Promise<Subject>, readonly Requirements[]][] = [
  ['the gateway', () => startGateway(), isSlowRun ? both : [of2026]],
]
const more: typeof subjects = [
  ['the bare SDK', startBareSdk, both],
  ['the gateway, in front of a 2025 server', () => startGateway(['2025']), [of2025]],
]

describe.each(isSlowRun ? [...subjects, ...more] : subjects)(
  'the official conformance suite against %s',
  (_who, start, revisions) => {
    let subject: Subject | undefined
    beforeAll(async () => {
      subject = await start()
    }, 90_000)
    afterAll(async () => await subject?.stop())

    describe.each(revisions)('$revision', ({ revision, scored, unscored }) => {
      let results: ReadonlyMap<string, Findings>
      beforeAll(async () => {
        results = await runSuite(subject!.url, revision)
        // The suite's timeouts are too short for a busy machine.
        if (!scored.every(passed)) results = await runSuite(subject!.url, revision)
      }, 360_000)
      const passed = (scenario: string): boolean =>
        JSON.stringify(results.get(scenario)) === '{"failures":[],"warnings":[]}'

      test.each(scored)('%s', (scenario) => {
        expect(results.get(scenario)).toEqual({ failures: [], warnings: [] })
      })

      test.each([...unscored])('%s (%s)', (scenario) => {
        const found = results.get(scenario)?.failures
        if (scenario in expectedFailures) expect(found, 'it passes now').not.toEqual([])
        else expect(found).toEqual([])
      })
    })
  },
)

test('only unscored scenarios are expected to fail', () => {
  expect(both.every(({ scored }) => scored.length >= 30)).toBe(true)
  const unscored = new Set(both.flatMap((revision) => [...revision.unscored.keys()]))
  const scored = new Set(both.flatMap((revision) => revision.scored))
  for (const scenario of Object.keys(expectedFailures)) {
    expect(unscored.has(scenario) && !scored.has(scenario), scenario).toBe(true)
  }
})
