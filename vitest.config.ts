import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: [
      'packages/*/src/**/*.test.ts',
      'packages/*/test/**/*.test.ts',
      'examples/*.test.ts',
      'test/**/*.test.ts',
    ],
    typecheck: { enabled: true, include: ['packages/*/src/**/*.test-d.ts'], tsconfig: 'tsconfig.check.json' },
    reporters: ['default', './scripts/count-reporter.ts'],
    globalSetup: './test/leave-nothing-behind.ts',
    testTimeout: 30_000,
    // By default only one on a machine with two cores.
    maxWorkers: 2,
  },
})
