import { formatDuration } from '../duration/format-duration.ts'
import type { ProcessReport } from './process-report.ts'

/** How a command ended, if not with the exit code 0: `exit code 1`, `killed by SIGKILL`, `ended at its limit of 2 min`. */
export function problemOfReport(value: unknown): string | null {
  const { outcome, exit_code, signal, limit_ms } = Object(value) as Partial<ProcessReport>
  if (outcome === 'timed_out')
    return limit_ms === undefined ? 'ended at its limit' : `ended at its limit of ${formatDuration(limit_ms)}`
  if (outcome !== 'exited' || exit_code === 0) return null
  return typeof signal === 'string' ? `killed by ${signal}` : `exit code ${exit_code}`
}
