import { type Counts, countLine } from './count-reporter.ts'
import type { VitestRun } from './run-vitest.ts'

/** A run of the tests, in which files that failed may have run a second time. */
export interface TestRun extends Counts {
  /** Files that failed, and then passed. */
  readonly flaky: readonly string[]
  readonly skips: readonly string[]
}

/** More of them in a run are no bad luck. */
const maxFlaky = 2

export function combineRuns(first: VitestRun, second: VitestRun | null): TestRun {
  const repeated = new Set(second?.results.map(({ file }) => file))
  const results = [...first.results.filter(({ file }) => !repeated.has(file)), ...(second?.results ?? [])]
  const sum = (count: keyof Counts): number => results.reduce((total, result) => total + result[count], 0)
  const { exitCode } = second ?? first
  const failed = sum('failed')
  return {
    passed: sum('passed'),
    // It crashed, or processes or files were left.
    failed: failed === 0 && exitCode !== 0 ? 1 : failed,
    skipped: sum('skipped'),
    flaky: [...repeated].filter((file) =>
      results.every((result) => result.file !== file || result.failed === 0),
    ),
    skips: results.flatMap(({ file, skips }) => skips.map((name) => `${file} > ${name}`)),
  }
}

/** The last lines and the exit code of several runs together. */
export function summaryOf(runs: readonly TestRun[]): { lines: string[]; exitCode: number } {
  const flaky = runs.flatMap((run) => run.flaky)
  const tooMany: Counts = { passed: 0, failed: flaky.length > maxFlaky ? flaky.length : 0, skipped: 0 }
  const counted = [...runs, tooMany]
  const lines = [
    ...runs.flatMap(({ skips }) => skips.map((name) => `skipped: ${name}`)),
    ...flaky.map((file) => `flaky (failed, then passed): ${file}`),
    ...(tooMany.failed > 0
      ? [`expected at most ${maxFlaky} flaky files, got ${flaky.length}; fix them`]
      : []),
    countLine(counted),
  ]
  return { lines, exitCode: counted.some(({ failed }) => failed > 0) ? 1 : 0 }
}
