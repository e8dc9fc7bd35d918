import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { combineRuns, summaryOf, type TestRun } from './combine-runs.ts'
import { runVitest } from './run-vitest.ts'

/**
 * Runs vitest with the arguments. In CI, each file that failed runs a second time: if it passes then, it is listed as flaky. The last line
 * counts the tests, together with those of the earlier runs that are recorded in the file `TEST_RUNS_FILE`.
 */
const args = process.argv.slice(2)
const record = process.env.TEST_RUNS_FILE
const options = args.filter((arg) => arg.startsWith('--config='))

const first = await runVitest(args)
const failed = [...new Set(first.results.filter((result) => result.failed > 0).map(({ file }) => file))]
// An error that belongs to no file cannot be repeated.
const canRepeat = Boolean(process.env.CI) && failed.length > 0 && !failed.includes('')
if (canRepeat) process.stdout.write(`\nrunning again: ${failed.join(', ')}\n`)
const second = canRepeat ? await runVitest([...options, ...failed]) : null
const run = combineRuns(first, second)
const earlier =
  record !== undefined && existsSync(record)
    ? readFileSync(record, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as TestRun)
    : []
if (record !== undefined) appendFileSync(record, `${JSON.stringify(run)}\n`)
const { lines, exitCode } = summaryOf([...earlier, run])
process.stdout.write(`\n${lines.join('\n')}\n`)
process.exitCode = exitCode
