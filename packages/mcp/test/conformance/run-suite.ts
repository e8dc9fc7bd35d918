import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { suite } from './requirements.ts'

/** Check by check what the suite found wrong in a scenario. */
export interface Findings {
  readonly failures: readonly string[]
  readonly warnings: readonly string[]
}

interface Check {
  readonly id: string
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
  readonly errorMessage?: string
}

const program = fileURLToPath(new URL('dist/index.js', suite))
const limitMs = 150_000

/** Runs all server scenarios of a revision of the protocol against `url`. */
export async function runSuite(url: string, revision: string): Promise<ReadonlyMap<string, Findings>> {
  const folder = await mkdtemp(join(tmpdir(), 'curfew-conformance-'))
  try {
    const args = [program, 'server', '--url', url, '--requirements', revision, '--output-dir', folder]
    // It ends with 1 when something failed; what failed stands in its files.
    await promisify(execFile)(process.execPath, args, { timeout: limitMs, cwd: folder }).catch(only1)
    const results = new Map<string, Findings>()
    for (const name of await readdir(folder)) {
      const scenario = /^server-(.+)-\d{4}-\d\d-\d\dT/.exec(name)?.[1]
      if (scenario === undefined) continue
      const checks: Check[] = JSON.parse(await readFile(join(folder, name, 'checks.json'), 'utf8'))
      results.set(scenario, { failures: those(checks, 'FAILURE'), warnings: those(checks, 'WARNING') })
    }
    return results
  } finally {
    await rm(folder, { recursive: true })
  }
}

function only1(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 1)) throw error
}

function those(checks: readonly Check[], status: Check['status']): string[] {
  return checks
    .filter((check) => check.status === status)
    .map((check) => `${check.id}: ${check.errorMessage ?? 'no reason given'}`)
}
