import { expect, test } from 'vitest'
import { runFuzz } from './fuzz/run-fuzz.ts'

/** Another one finds other things: `npm run bench -- fuzz` takes a new one each time, and runs for five minutes. */
const seed = 20_261_116

test('2,000 mutated messages from clients and servers do not crash the gateway, and every request is answered once', async () => {
  const counts = await runFuzz({ seed, goesOn: ({ messages }) => messages < 2_000 })
  expect(counts.messages).toBeGreaterThanOrEqual(2_000)
  expect(counts.refused).toBeGreaterThan(0)
  expect(counts.peakMb).toBeLessThan(800)
}, 120_000)
