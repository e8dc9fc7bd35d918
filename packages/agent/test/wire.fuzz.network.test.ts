import { expect, test } from 'vitest'
import { scaled } from '../../../test/support/scaled.ts'
import { runWireFuzz } from './fuzz/run-wire-fuzz.ts'

/** Fixed, so that failures can be reproduced. `npm run bench -- model-fuzz` uses a new seed each time, for five minutes. */
const seed = 20_261_116

const count = scaled(25)

test(`${count} conversations with hostile model servers end within their limits, and go on afterwards`, async () => {
  const counts = await runWireFuzz({ seed, shouldContinue: ({ conversations }) => conversations < count })
  expect(counts.responses).toBeGreaterThan(count)
  expect(counts.reasons).toMatchObject({ answer: expect.any(Number), 'model-failure': expect.any(Number) })
}, 600_000)
