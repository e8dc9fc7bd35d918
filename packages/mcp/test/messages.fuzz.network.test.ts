import { expect, test } from 'vitest'
import { scaled } from '../../../test/support/scaled.ts'
import { runFuzz } from './fuzz/run-fuzz.ts'

/** Fixed, so that failures can be reproduced. `npm run bench -- fuzz` uses a new seed each time, for five minutes. */
const seed = 20_261_116

const count = scaled(500)

test(`${count} mutated messages from clients and servers crash no gateway, and every request is answered once`, async () => {
  const counts = await runFuzz({ seed, shouldContinue: ({ messages }) => messages < count })
  expect(counts.messages).toBeGreaterThanOrEqual(count)
  expect(counts.rejected).toBeGreaterThan(0)
  expect(counts.peakMb).toBeLessThan(800)
}, 600_000)
