import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { canTest } from '../../../test/support/can-test.ts'
import { parseGnuDuration } from '../src/timeout/parse-gnu-duration.ts'

const bin = fileURLToPath(new URL('../bin/curfew.cjs', import.meta.url))
const linux = process.platform === 'linux'
const version = spawnSync('timeout', ['--version'], { encoding: 'utf8' }).stdout
const gnu = canTest(version?.includes('GNU coreutils') ? null : 'GNU timeout is not installed')

function curfew(args: readonly string[], input = ''): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, [bin, 'timeout', ...args], { encoding: 'utf8', input })
}

/** The exit code that a shell reports. */
function shellExitCode({ status, signal }: SpawnSyncReturns<string>): number | null {
  return signal === null ? status : 128 + constants.signals[signal]
}

describe.runIf(gnu)('exits as GNU timeout does', () => {
  test.each([
    [['5', 'true']],
    [['5', 'false']],
    [['5', 'sh', '-c', 'exit 42']],
    [['0.2', 'sleep', '9']],
    [['.2s', 'sleep', '9']],
    [['2e-1', 'sleep', '9']],
    [['0', 'true']],
    [['1e400', 'true']],
    [['inf', 'true']],
    [['--signal=KILL', '0.2', 'sleep', '9']],
    [['-sINT', '0.2', 'sleep', '9']],
    [['-s', '9', '0.2', 'sleep', '9']],
    [['-k', '0.2', '0.2', 'sh', '-c', 'trap "" TERM; sleep 9; sleep 9']],
    [['--preserve-status', '0.2', 'sleep', '9']],
    [['--preserve-status', '0.2', 'sh', '-c', 'trap "exit 5" TERM; sleep 9 & wait']],
    [['--kill', '0.2', '0.2', 'sleep', '9']],
    [['--foreground', '-v', '0.2', 'sleep', '9']],
    [['5', 'sh', '-c', 'kill -TERM $$']],
    [['5', 'sh', '-c', 'kill -KILL $$']],
    [['--', '5', 'true']],
    [['5', 'curfew-no-such-command']],
    [['5', '/etc/passwd']],
    [['5', '/tmp']],
    [['5']],
    [[]],
    [['5x', 'true']],
    [['-1', 'true']],
    [['nan', 'true']],
    [['1sm', 'true']],
    [['-s', 'NOPE', '5', 'true']],
    [['-k', 'x', '5', 'true']],
    [['--nope', '5', 'true']],
    [['5', 'sh', '-c', 'echo -- "$@"', 'sh', '-k', '--json']],
  ])('for %j', (args) => {
    const theirs = spawnSync('timeout', args, { encoding: 'utf8' })
    const ours = curfew(args)
    expect(shellExitCode(ours)).toBe(shellExitCode(theirs))
    expect(ours.stdout).toBe(theirs.stdout)
    if (theirs.stderr === '') expect(ours.stderr).toBe('')
  })
})

describe.runIf(linux)('curfew timeout', () => {
  test('passes standard input and both outputs through unchanged', () => {
    const { stdout, stderr, status } = curfew(['5', 'sh', '-c', 'cat; printf err >&2; exit 3'], 'some\0bytes')
    expect({ stdout, stderr, status }).toEqual({ stdout: 'some\0bytes', stderr: 'err', status: 3 })
  })

  test('--json prints the outcome and the output', () => {
    const { stdout, status } = curfew([
      '--json',
      '--max-output',
      '10',
      '0.3',
      'sh',
      '-c',
      'echo 0123456789abcdef; sleep 9',
    ])
    expect(status).toBe(124)
    expect(JSON.parse(stdout)).toMatchObject({
      outcome: 'timed_out',
      timed_out: true,
      signal: 'SIGTERM',
      stdout_bytes: 17,
      stdout_truncated: true,
      survivors: [],
    })
  })

  test('accepts -p and -f, which only newer versions of GNU timeout have', () => {
    expect(shellExitCode(curfew(['-p', '0.2', 'sleep', '9']))).toBe(143)
    expect(shellExitCode(curfew(['-fp', '0.2', 'sh', '-c', 'trap "exit 5" TERM; sleep 9 & wait']))).toBe(5)
  })

  test('-v reports the signal that is sent', () => {
    expect(curfew(['-v', '0.2', 'sleep', '9']).stderr).toBe(
      "curfew timeout: sending signal TERM to command 'sleep'\n",
    )
  })

  test('passes on signals that it receives', async () => {
    const child = spawn(process.execPath, [
      bin,
      'timeout',
      '20',
      'sh',
      '-c',
      'trap "exit 9" TERM; echo up; sleep 15 & wait',
    ])
    await new Promise((resolve) => child.stdout.once('data', resolve))
    child.kill('SIGTERM')
    expect(await new Promise((resolve) => child.on('exit', resolve))).toBe(9)
  })

  test('leaves no daemon behind, unlike GNU timeout', () => {
    const tag = `31537${process.pid}`
    for (const script of ['(setsid sleep $0 &); exit 0', '(setsid sleep $0 &); sleep 9']) {
      curfew(['0.3', 'sh', '-c', script, tag])
      expect(spawnSync('pgrep', ['-f', `^sleep ${tag}`], { encoding: 'utf8' }).stdout).toBe('')
    }
  })

  test('a usage error exits with 125', () => {
    expect(curfew(['5 parsecs', 'ls'])).toMatchObject({
      status: 125,
      stderr: expect.stringContaining('DURATION: expected seconds, or a number with a unit such as 250ms'),
    })
    expect(curfew(['--max-output', 'x', '1', 'ls'])).toMatchObject({ status: 125 })
    expect(curfew(['--help'])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('Usage: curfew timeout'),
    })
  })
})

test.each([
  ['5', 5],
  ['1.5m', 90],
  ['2h', 7_200],
  ['1d', 86_400],
  ['1e3', 1_000],
  ['0x10', 16],
  ['0x1p4s', 16],
  ['+5', 5],
  ['', null],
  ['s', null],
  ['5S', null],
  ['5 s', null],
  ['1e', null],
])('parses the duration %s as %s seconds', (text, seconds) => {
  expect(parseGnuDuration(text)).toBe(seconds)
})
