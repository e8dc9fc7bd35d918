import { appendFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter, TestCase, TestModule } from 'vitest/node'

/** Counts of one file, or of many. */
export interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

export interface FileResult extends Counts {
  readonly file: string
  readonly failures: readonly { readonly name: string; readonly message: string }[]
  readonly skips: readonly string[]
}

/** A file to which the result of each test file is appended as a line of JSON, for scripts/run-vitest.ts. */
export const resultsVariable = 'CURFEW_TEST_RESULTS'

/** Ends a test run with one line of counts, unless a script reads the results: `12 passed, 0 failed`. */
export default class CountReporter implements Reporter {
  readonly #target = process.env[resultsVariable]
  readonly #written = new Set<TestModule>()

  onTestModuleEnd(module: TestModule): void {
    if (this.#target === undefined || this.#written.has(module)) return
    this.#written.add(module)
    this.#write(resultOf(module))
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const others = errors.map(resultOfError)
    if (this.#target === undefined)
      process.stdout.write(`\n${countLine([...modules.map(resultOf), ...others])}\n`)
    // Not every file that could not be loaded was reported before.
    for (const module of modules) this.onTestModuleEnd(module)
    for (const result of others) this.#write(result)
  }

  #write(result: FileResult): void {
    if (this.#target !== undefined) appendFileSync(this.#target, `${JSON.stringify(result)}\n`)
  }
}

export function countLine(results: readonly Counts[]): string {
  const sum = (count: keyof Counts): number => results.reduce((total, result) => total + result[count], 0)
  const skipped = sum('skipped') > 0 ? `, ${sum('skipped')} skipped` : ''
  return `${sum('passed')} passed, ${sum('failed')} failed${skipped}`
}

function resultOf(module: TestModule): FileResult {
  const tests = [...module.children.allTests()]
  const withState = (state: string) => tests.filter((test) => test.result().state === state)
  const failures = withState('failed').map((test) => ({
    name: test.fullName,
    message: (test.result().errors ?? []).map(({ message }) => message).join('\n'),
  }))
  // A file that could not be loaded, or whose hook failed.
  if (failures.length === 0 && module.state() === 'failed')
    failures.push({
      name: '',
      message: module
        .errors()
        .map(({ message }) => message)
        .join('\n'),
    })
  const skips = withState('skipped').map((test) => [test.fullName, noteOf(test)].filter(Boolean).join(': '))
  const file = module.relativeModuleId
  return {
    file,
    passed: withState('passed').length,
    failed: failures.length,
    skipped: skips.length,
    failures,
    skips,
  }
}

/** Why it was skipped, if it says so. */
function noteOf(test: TestCase): string {
  const result = test.result()
  return result.state === 'skipped' ? (result.note ?? '') : ''
}

/** An error outside of tests. */
function resultOfError(error: unknown): FileResult {
  const { VITEST_TEST_PATH: path = '', message = '' } = Object(error) as Record<string, string>
  const file = path && relative(process.cwd(), path)
  return { file, passed: 0, failed: 1, skipped: 0, failures: [{ name: '', message }], skips: [] }
}
