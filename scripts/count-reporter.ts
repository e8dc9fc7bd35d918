import type { Reporter, TestModule } from 'vitest/node'

/** Prints a summary as the last line of a test run: `12 passed, 0 failed`. */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const count = { passed: 0, failed: errors.length, skipped: 0 }
    for (const module of modules) {
      // A file that could not be loaded has no tests.
      if (module.state() === 'failed' && module.children.size === 0) count.failed++
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state !== 'pending') count[state]++
      }
    }
    const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : ''
    process.stdout.write(`\n${count.passed} passed, ${count.failed} failed${skipped}\n`)
  }
}
