import { expect, test } from 'vitest'
import { withPrefix, withTasks } from './expected-failures.ts'
import { type Findings, type Run, runSuite } from './run-suite.ts'
import {
  type Fixture,
  type GatewayOptions,
  type Subject,
  startBareSdk,
  startGateway,
} from './start-subject.ts'

const unprefixed: GatewayOptions = { gatewayArgs: ['--unprefixed'] }

const bareFindings = new Map<string, Promise<ReadonlyMap<string, Findings>>>()

function findingsOfBare(run: Run, fixture: Fixture = 'conformance'): Promise<ReadonlyMap<string, Findings>> {
  const key = `${run} ${fixture}`
  const findings = bareFindings.get(key) ?? findingsOf(() => startBareSdk(fixture), run)
  bareFindings.set(key, findings)
  return findings
}

const cases: readonly [string, Run, GatewayOptions, Readonly<Record<string, string>>][] = [
  ['with default settings', '2026-07-28', {}, withPrefix],
  ['with default settings', '2025-11-25', {}, withPrefix],
  ['with default settings', '0.1.16', {}, withPrefix],
  ['unprefixed', '2026-07-28', unprefixed, {}],
  ['unprefixed', '2025-11-25', unprefixed, {}],
  ['unprefixed', '0.1.16', unprefixed, {}],
  ['in front of a 2025 server', '0.1.16', { fixtureArgs: ['2025'] }, withPrefix],
  ['in front of a server with tasks', '2026-07-28', { fixture: 'tasks' }, withTasks],
]

test.each(cases)(
  'no check fails through the gateway that passes with the bare server: %s, %s',
  async (_settings, run, options, expected) => {
    const bare = await findingsOfBare(run, options.fixture)
    const gateway = await findingsOf(() => startGateway(options), run)
    expect(bare.size).toBeGreaterThan(30)
    expect([...gateway.keys()]).toEqual([...bare.keys()])
    const added = [...gateway]
      // The server with tasks has no tools for the other scenarios.
      .filter(([scenario]) => options.fixture !== 'tasks' || scenario.startsWith('tasks-'))
      .filter(([scenario, found]) => !isPartOf(found, bare.get(scenario)!))
    expect(Object.fromEntries(added.filter(([scenario]) => !(scenario in expected)))).toEqual({})
    expect(added.map(([scenario]) => scenario)).toEqual(Object.keys(expected))
  },
  600_000,
)

test('a server with tasks passes all scenarios for tasks', async () => {
  const results = await findingsOfBare('2026-07-28', 'tasks')
  const scenarios = [...results].filter(([scenario]) => scenario.startsWith('tasks-'))
  expect(scenarios).toHaveLength(10)
  for (const [scenario, found] of scenarios) expect(found, scenario).toEqual({ failures: [], warnings: [] })
}, 600_000)

async function findingsOf(start: () => Promise<Subject>, run: Run): Promise<ReadonlyMap<string, Findings>> {
  const subject = await start()
  try {
    const results = await runSuite(subject.url, run)
    return new Map([...results].sort(([one], [other]) => (one < other ? -1 : 1)))
  } finally {
    await subject.stop()
  }
}

/** Compares by id, because the messages differ. A warning with the bare server does not excuse a failure. */
function isPartOf(found: Findings, bare: Findings): boolean {
  return (
    isContained(found.failures, bare.failures) &&
    isContained(found.warnings, [...bare.failures, ...bare.warnings])
  )
}

/** Some ids occur several times. */
function isContained(lines: readonly string[], known: readonly string[]): boolean {
  const idOf = (line: string): string => line.slice(0, line.indexOf(':'))
  const left = known.map(idOf)
  return lines.map(idOf).every((id) => {
    const index = left.indexOf(id)
    if (index !== -1) left.splice(index, 1)
    return index !== -1
  })
}
