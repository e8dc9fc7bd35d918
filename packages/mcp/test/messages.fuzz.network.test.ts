import { expect, test } from 'vitest'
import { scaled } from '../../../test/support/scaled.ts'
import { testSeed } from '../../../test/support/seed.ts'
import { runFuzz } from './fuzz/run-fuzz.ts'

const count = scaled(500)

test(`${count} mutated messages from clients and servers crash no gateway, and every request is answered once`, async () => {
  const counts = await runFuzz({ seed: testSeed(), shouldContinue: ({ messages }) => messages < count })
  expect(counts.messages).toBeGreaterThanOrEqual(count)
  expect(counts.rejected).toBeGreaterThan(0)
  expect(counts.peakMb).toBeLessThan(800)
}, 600_000)
