import { containmentReport } from '@curfew/core/internal'

/** The kinds of containment that this machine allows. Tests of the others are skipped, with the reason on stdout. */
export const allowed: ReadonlySet<string> = new Set(
  containmentReport().flatMap(({ kind, available, detail }) => {
    if (!available) process.stdout.write(`process tests with ${kind} are skipped: ${detail}\n`)
    return available ? [kind] : []
  }),
)
