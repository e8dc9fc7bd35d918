import { containmentReport } from '@curfew/core/internal'
import { canTest } from './can-test.ts'

/** The kinds of containment that this machine allows. Tests of the others are skipped, with the reason on stdout. */
export const allowed: ReadonlySet<string> = new Set(
  containmentReport().flatMap(({ kind, available, detail }) =>
    canTest(available ? null : `${kind}: ${detail}`) ? [kind] : [],
  ),
)
