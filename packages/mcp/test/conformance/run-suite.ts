import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { suite } from './requirements.ts'

/** The failed checks of a scenario. */
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

/** Runs all server scenarios of a protocol revision against `url`. */
export async function runSuite(url: string, revision: string): Promise<ReadonlyMap<string, Findings>> {
  const folder = await mkdtemp(join(tmpdir(), 'curfew-conformance-'))
  try {
    const args = [program, 'server', '--url', url, '--requirements', revision, '--output-dir', folder]
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
