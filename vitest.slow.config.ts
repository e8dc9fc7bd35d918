import { defineConfig } from 'vitest/config'
import { both, slowOnly } from './test/selection.ts'

/** What takes too long for every run of the tests, and tests that do five times as much as in `npm test`. */
export default defineConfig({
  test: {
    include: [...slowOnly, ...both],
    env: { CURFEW_TEST_SCALE: '5' },
    reporters: ['default', './scripts/count-reporter.ts'],
    globalSetup: './test/leave-nothing-behind.ts',
    testTimeout: 600_000,
    hookTimeout: 600_000,
    maxWorkers: 3,
  },
})
