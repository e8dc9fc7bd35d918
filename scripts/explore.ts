import { randomInt } from 'node:crypto'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { addRegression } from '../test/support/regressions.ts'
import { runVitest } from './run-vitest.ts'

/**
 * Runs all tests that depend on chance again and again, each time with another seed, and records the seeds that make tests fail.
 * npm run explore [-- --minutes 30 --only PATTERN]
 */
const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, only: { type: 'string', default: '' } },
})
const minutes = Number(values.minutes)
if (!(minutes > 0)) throw new Error(`--minutes: expected a positive number, got ${values.minutes}`)
const files = globSync(['packages/*/{src,test}/**/*.test.{ts,tsx}', 'test/**/*.test.ts'])
  .filter((file) => file.includes(values.only))
  .filter((file) => /from 'fast-check'|\btestSeed\(\)/.test(readFileSync(file, 'utf8')))
  .sort()
if (files.length === 0) throw new Error(`--only: expected a part of a file's path, got ${values.only}`)

const config = ['--config', 'vitest.all.config.ts']
const signal = AbortSignal.timeout(minutes * 60_000)
const folder = mkdtempSync(join(tmpdir(), 'curfew-'))
// The watchdogs of killed processes may still be cleaning up.
process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
let rounds = 0
/** The failures, by test. */
const found = new Map<string, string>()
for (;;) {
  const seed = randomInt(2 ** 31)
  const env = { CURFEW_TEST_SEED: String(seed), TMPDIR: folder }
  const { results, exitCode } = await runVitest([...config, ...files], { env, signal })
  const failed = results.filter(({ failed }) => failed > 0)
  for (const { file, failures } of failed) {
    for (const { name, message } of failures) {
      // A test that fails often does not need all of its seeds.
      if (found.has(`${file} > ${name}`)) continue
      if (name !== '') addRegression(file, name, seed)
      found.set(
        `${file} > ${name}`,
        `${message.replace(/^/gm, '  ')}\n` +
          `  repeat: CURFEW_TEST_SEED=${seed} npx vitest run ${config.join(' ')} ${file}\n`,
      )
    }
  }
  if (signal.aborted) break
  rounds++
  if (exitCode === 0 || failed.length > 0) continue
  found.set('vitest', `  exited with ${exitCode} with the seed ${seed}; its output says why\n`)
  // It could not run the tests at all.
  if (results.length === 0) break
}
for (const [test, description] of found) process.stdout.write(`\n${test}\n${description}\n`)
process.stdout.write(`\n${rounds} complete rounds of ${files.length} files: ${found.size} tests failed\n`)
process.exitCode = found.size > 0 ? 1 : 0
