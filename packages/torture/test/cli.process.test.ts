import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { allCases } from '../dist/index.js'

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url))
const bare = fileURLToPath(new URL('../adapters/bare.mjs', import.meta.url))

const run = (...args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, [main, ...args], (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    )
  })

test.each([
  [[], '--adapter: expected the file of an adapter'],
  [['--adapter', 'no-such-file.mjs'], '--adapter: no-such-file.mjs does not exist'],
  [['--adapter', bare, '--only', '('], '--only: expected a regular expression, got ('],
  [['--adapter', bare, '--only', 'no-such-case'], '--only: no case matches no-such-case'],
  [['--adapter', bare, '--settings', 'worst'], '--settings: expected recommended or best, got worst'],
  [['--adapter', bare, '--repeat', '0'], '--repeat: expected a positive integer, got 0'],
  [['--adapter', bare, '--jobs', 'many'], '--jobs: expected a positive integer, got many'],
  [['--nonsense'], '--nonsense'],
])('%j is a usage error', async (args, message) => {
  const { code, stdout, stderr } = await run(...args)
  expect(stderr).toContain(message)
  expect(stderr).not.toContain('    at ')
  expect(stdout).toBe('')
  expect(code).toBe(2)
})

test('--list lists the cases that match, and who is hurt', async () => {
  const { code, stdout } = await run('--list', '--only', '^order/')
  const listed = stdout.split('\n').filter((line) => line.startsWith('order/'))
  expect(listed).toEqual(allCases.filter(({ group }) => group === 'order').map(({ id }) => id))
  expect(code).toBe(0)
})

test('the exit code is 0 if all cases pass, and 1 if one fails', async () => {
  const passes = await run('--adapter', bare, '--only', '^time/just-in-time$')
  expect(passes.stdout).toContain('1 passed, 0 failed')
  expect(passes.code).toBe(0)
  const fails = await run(
    '--adapter',
    bare,
    '--only',
    '^order/unknown-tool-beside-successes$|^mistakes/wrong-type$',
  )
  expect(fails.stdout).toContain('FAIL   mistakes/wrong-type')
  expect(fails.code).toBe(1)
})

test('--json writes a report to a file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'torture-cli-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const output = join(folder, 'report.json')
  const { stdout } = await run(
    '--adapter',
    bare,
    '--only',
    '^order/results-in-call-order$',
    '--json',
    '--output',
    output,
  )
  expect(stdout).toBe('')
  const report = JSON.parse(readFileSync(output, 'utf8'))
  expect(report).toMatchObject({
    settings: 'recommended',
    cells: [{ id: 'order/results-in-call-order', verdict: 'pass' }],
  })
})
