import { describe, expect, test } from 'vitest'
import { combineRuns, summaryOf } from '../scripts/combine-runs.ts'
import type { FileResult } from '../scripts/count-reporter.ts'

const result = (file: string, counts: Partial<FileResult>): FileResult => ({
  ...{ file, passed: 0, failed: 0, skipped: 0, failures: [], skips: [] },
  ...counts,
})
const good = result('good.test.ts', { passed: 5, skipped: 1, skips: ['needs root'] })
const bad = (file: string) => result(file, { passed: 2, failed: 1 })
const run = (results: readonly FileResult[]) => ({
  results,
  exitCode: results.some(({ failed }) => failed > 0) ? 1 : 0,
})

describe('in CI', () => {
  test('a file that passes the second time is listed as flaky', () => {
    const combined = combineRuns(run([good, bad('a.test.ts')]), run([result('a.test.ts', { passed: 3 })]))
    expect(summaryOf([combined])).toEqual({
      lines: [
        'skipped: good.test.ts > needs root',
        'flaky (failed, then passed): a.test.ts',
        '8 passed, 0 failed, 1 skipped',
      ],
      exitCode: 0,
    })
  })

  test('a file that fails twice fails', () => {
    const combined = combineRuns(run([good, bad('a.test.ts')]), run([bad('a.test.ts')]))
    expect(combined.flaky).toEqual([])
    expect(summaryOf([combined])).toMatchObject({ exitCode: 1 })
    expect(summaryOf([combined]).lines.at(-1)).toBe('7 passed, 1 failed, 1 skipped')
  })

  test('three flaky files in all runs together fail', () => {
    const flaky = (...files: string[]) =>
      combineRuns(run(files.map(bad)), run(files.map((file) => result(file, { passed: 3 }))))
    expect(summaryOf([flaky('a.test.ts'), flaky('b.test.ts')]).exitCode).toBe(0)
    const { lines, exitCode } = summaryOf([flaky('a.test.ts'), flaky('b.test.ts', 'c.test.ts')])
    expect(lines.slice(-2)).toEqual(['expected at most 2 flaky files, got 3; fix them', '9 passed, 3 failed'])
    expect(exitCode).toBe(1)
  })
})

test('a run that ended without failed tests, but not with 0, has failed', () => {
  const crashed = combineRuns({ results: [good], exitCode: null }, null)
  expect(summaryOf([crashed])).toMatchObject({ exitCode: 1 })
  expect(summaryOf([crashed]).lines.at(-1)).toBe('5 passed, 1 failed, 1 skipped')
})
