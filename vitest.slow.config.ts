import { defineConfig } from 'vitest/config'

/** What takes too long for every run of the tests, and tests that do five times as much as in `npm test`. */
export default defineConfig({
  test: {
    include: [
      'packages/*/test/**/*.slow.test.{ts,tsx}',
      'test/*.slow.test.ts',
      'examples/frameworks/*.slow.test.ts',
      'packages/*/{src,test}/**/*.property.test.ts',
      'packages/agent/test/wire-fuzz.test.ts',
      'packages/mcp/test/fuzz.test.ts',
      'packages/mcp/test/conformance/*.test.ts',
    ],
    env: { CURFEW_TEST_SCALE: '5' },
    reporters: ['default', './scripts/count-reporter.ts'],
    globalSetup: './test/leave-nothing-behind.ts',
    testTimeout: 600_000,
    hookTimeout: 600_000,
    maxWorkers: 3,
  },
})
