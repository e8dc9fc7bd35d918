import { expect, test } from 'vitest'
import { scaled } from '../../../test/support/scaled.ts'
import { testSeed } from '../../../test/support/seed.ts'
import { runWireFuzz } from './fuzz/run-wire-fuzz.ts'

const count = scaled(25)

test(`${count} conversations with hostile model servers end within their limits, and go on afterwards`, async () => {
  const counts = await runWireFuzz({
    seed: testSeed(),
    shouldContinue: ({ conversations }) => conversations < count,
  })
  expect(counts.responses).toBeGreaterThan(count)
  expect(counts.reasons).toMatchObject({ answer: expect.any(Number), 'model-failure': expect.any(Number) })
}, 600_000)
