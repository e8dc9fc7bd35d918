import { expect, test } from 'vitest'
import { scaled } from '../../../test/support/scaled.ts'
import { runFuzz } from './fuzz/run-fuzz.ts'

/** Another one finds other things: `npm run bench -- fuzz` takes a new one each time, and runs for five minutes. */
const seed = 20_261_116

const count = scaled(500)

test(`${count} mutated messages from clients and servers end no gateway, and every request is answered once`, async () => {
  const counts = await runFuzz({ seed, goesOn: ({ messages }) => messages < count })
  expect(counts.messages).toBeGreaterThanOrEqual(count)
  expect(counts.refused).toBeGreaterThan(0)
  expect(counts.peakMb).toBeLessThan(800)
}, 600_000)
