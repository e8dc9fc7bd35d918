import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isSlowRun } from '../../../../test/support/scaled.ts'
import { withoutTasks, withPrefix } from './expected-failures.ts'
import { type Requirements, readRequirements } from './requirements.ts'
import { type Findings, runSuite } from './run-suite.ts'
import { type Subject, startBareSdk, startGateway } from './start-subject.ts'

const of2025 = readRequirements('2025-11-25')
const of2026 = readRequirements('2026-07-28')
const both = [of2025, of2026]
const allWithPrefix = { ...withoutTasks, ...withPrefix }

type Case = [string, () => Promise<Subject>, readonly Requirements[], Readonly<Record<string, string>>]

const first: readonly Case[] = [
  ['the gateway with its default settings', () => startGateway(), isSlowRun ? both : [of2026], allWithPrefix],
]
const more: readonly Case[] = [
  ['the bare SDK', startBareSdk, both, withoutTasks],
  ['the gateway, unprefixed', () => startGateway({ gatewayArgs: ['--unprefixed'] }), both, withoutTasks],
  [
    'the gateway, in front of a 2025 server',
    () => startGateway({ fixtureArgs: ['2025'] }),
    [of2025],
    allWithPrefix,
  ],
]

describe.each(isSlowRun ? [...first, ...more] : first)(
  'the official conformance suite against %s',
  (_who, start, revisions, expectedFailures) => {
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
  for (const scenario of Object.keys(allWithPrefix)) {
    expect(unscored.has(scenario) && !scored.has(scenario), scenario).toBe(true)
  }
})
