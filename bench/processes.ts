import { spawnSync } from 'node:child_process'
import { findContainments } from './processes/containments.ts'
import { measureCost } from './processes/cost.ts'
import { measureKilledRuntime } from './processes/killed-runtime.ts'
import { measureOutput } from './processes/output.ts'
import { measureSurvivors } from './processes/survivors.ts'
import type { Findings } from './report.ts'

/** The survivors and the cost of commands, compared with other ways to run commands. */
export async function measureProcesses(): Promise<Findings> {
  const { allowed, notes } = findContainments()
  const parts: Findings[] = [
    await measureSurvivors(allowed),
    await measureCost(allowed),
    await measureOutput(),
    await measureKilledRuntime(allowed),
  ]
  return {
    notes: [gnuVersion(), ...notes],
    tables: parts.flatMap(({ tables = [] }) => tables),
    targets: parts.flatMap(({ targets }) => targets),
    information: parts.flatMap(({ information }) => information),
  }
}

function gnuVersion(): string {
  const { stdout } = spawnSync('timeout', ['--version'], { encoding: 'utf8' })
  return stdout.split('\n')[0]!
}
