import { defineConfig } from 'vitest/config'
import { slowOnly } from './test/selection.ts'

/** Tests beside the source start no processes and change no globals, so they can share a module graph. */
const unit = ['packages/*/src/**/*.test.{ts,tsx}']
const integration = ['packages/*/test/**/*.test.{ts,tsx}', 'examples/*.test.ts', 'test/**/*.test.ts']

export default defineConfig({
  test: {
    reporters: ['default', './scripts/count-reporter.ts'],
    globalSetup: './test/leave-nothing-behind.ts',
    // Many tests wait for processes, so more workers than cores are faster on a small machine.
    maxWorkers: 3,
    projects: [
      {
        test: {
          name: 'unit',
          include: unit,
          isolate: false,
          testTimeout: 60_000,
          typecheck: {
            enabled: true,
            include: ['packages/*/src/**/*.test-d.ts'],
            tsconfig: 'tsconfig.check.json',
          },
        },
      },
      {
        test: {
          name: 'integration',
          include: integration,
          exclude: [...slowOnly, '**/node_modules/**'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
