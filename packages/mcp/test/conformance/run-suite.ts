import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { olderSuite, suite } from './requirements.ts'

/** The failed checks of a scenario, each with its id and message. */
export interface Findings {
  readonly failures: readonly string[]
  readonly warnings: readonly string[]
}

interface Check {
  readonly id: string
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
  readonly errorMessage?: string
}

/** What to run: the scenarios of a protocol revision, or all of the older suite. */
export type Run = '2025-11-25' | '2026-07-28' | '0.1.16'

const limitMs = 150_000

/** Runs server scenarios against `url`. */
export async function runSuite(url: string, run: Run): Promise<ReadonlyMap<string, Findings>> {
  const folder = await mkdtemp(join(tmpdir(), 'curfew-conformance-'))
  try {
    const which = run === '0.1.16' ? ['--suite', 'all'] : ['--requirements', run]
    const program = fileURLToPath(new URL('dist/index.js', run === '0.1.16' ? olderSuite : suite))
    const args = [program, 'server', '--url', url, ...which, '--output-dir', folder]
    // It exits with 1 if a check failed; the details are in its files.
    await promisify(execFile)(process.execPath, args, { timeout: limitMs, cwd: folder }).catch(
      ignoreExitCode1,
    )
    const results = new Map<string, Findings>()
    for (const name of await readdir(folder)) {
      const scenario = /^server-(.+)-\d{4}-\d\d-\d\dT/.exec(name)?.[1]
      if (scenario === undefined) continue
      const checks: Check[] = JSON.parse(await readFile(join(folder, name, 'checks.json'), 'utf8'))
      results.set(scenario, {
        failures: withStatus(checks, 'FAILURE'),
        warnings: withStatus(checks, 'WARNING'),
      })
    }
    return results
  } finally {
    await rm(folder, { recursive: true })
  }
}

function ignoreExitCode1(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 1)) throw error
}

function withStatus(checks: readonly Check[], status: Check['status']): string[] {
  return checks
    .filter((check) => check.status === status)
    .map((check) => `${check.id}: ${check.errorMessage ?? 'no message'}`)
}
