import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { test } from 'vitest'
import { isSlowRun } from '../../../test/support/scaled.ts'
import { runSteps, steps } from './support/checkpoint-sequences.ts'

test('every checkpoint is restored byte for byte, whatever a model and a person do in between', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const base = mkdtempSync(join(realpathSync(tmpdir()), 'sequence-'))
      try {
        await runSteps(base, sequence)
      } finally {
        rmSync(base, { recursive: true, force: true })
      }
    }),
    // 1,000 runs take more than eight minutes. Shrinking would take far longer than the runs.
    { numRuns: isSlowRun ? 350 : 12, endOnFailure: true },
  )
}, 3_600_000)
