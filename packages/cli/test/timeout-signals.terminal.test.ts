import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { symlinkSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { runCurfew } from './run-curfew.ts'
import { temporaryFolders } from './temporary-folders.ts'
import { eventually } from './terminal-shell.ts'

const bin = fileURLToPath(new URL('../bin/curfew.cjs', import.meta.url))
const linux = process.platform === 'linux'

/** Ports GNU's tests of timeout, and tests signals to `curfew timeout` itself. */
describe.runIf(linux)('curfew timeout', { timeout: 60_000 }, () => {
  let folder: string
  temporaryFolders(({ project }) => {
    folder = project
  })

  /** Resolves once the command has printed something. */
  async function start(...args: string[]): Promise<{ child: ChildProcess; read: () => string }> {
    const child = spawn(process.execPath, [bin, 'timeout', ...args], { cwd: folder })
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
    })
    child.stderr.on('data', (chunk) => {
      text += chunk
    })
    await once(child.stdout, 'data')
    return { child, read: () => text }
  }

  async function ending(child: ChildProcess): Promise<{ code: number | null; signal: string | null }> {
    const [code, signal] = await once(child, 'close')
    return { code, signal }
  }

  /** A command that prints the signal it receives, and exits with 9. */
  const reports = (...names: string[]): string[] => [
    'sh',
    '-c',
    `${names.map((name) => `trap "echo got ${name}; exit 9" ${name};`).join(' ')} echo up; while :; do sleep 0.1; done`,
  ]

  test.each(['HUP', 'INT', 'QUIT', 'TERM', 'USR1', 'USR2', 'VTALRM', 'PWR'])(
    'passes SIG%s on',
    async (name) => {
      const { child, read } = await start('30', ...reports(name))
      child.kill(`SIG${name}` as NodeJS.Signals)
      expect(await ending(child)).toEqual({ code: 9, signal: null })
      expect(read()).toContain(`got ${name}`)
      expect(read()).not.toContain('Debugger')
    },
  )

  test('passes a signal on to everything that the command runs', async () => {
    const { child, read } = await start(
      '30',
      'sh',
      '-c',
      `trap "echo outer" USR1; ${inner('USR1')} & wait; wait`,
    )
    child.kill('SIGUSR1')
    await ending(child)
    expect(read()).toContain('inner')
  })

  const inner = (name: string): string =>
    `sh -c 'trap "echo inner; exit" ${name}; echo up; while :; do sleep 0.1; done'`

  test('is terminated by the signal that terminated the command', async () => {
    const { child } = await start('30', 'sh', '-c', 'echo up; exec sleep 20')
    child.kill('SIGUSR1')
    expect(await ending(child)).toEqual({ code: null, signal: 'SIGUSR1' })
  })

  test('SIGALRM ends the time limit, through nested timeouts', async () => {
    const { child, read } = await start(
      '-sALRM',
      '30',
      process.execPath,
      bin,
      'timeout',
      '-sUSR1',
      '25',
      ...reports('USR1'),
    )
    child.kill('SIGALRM')
    expect(await ending(child)).toEqual({ code: 124, signal: null })
    expect(read()).toContain('got USR1')
  })

  test('-k also applies after a signal that is passed on', async () => {
    const { child } = await start(
      '-k',
      '0.2',
      '30',
      'sh',
      '-c',
      'trap "" TERM; echo up; while :; do sleep 0.1; done',
    )
    child.kill('SIGTERM')
    expect(await ending(child)).toEqual({ code: 137, signal: null })
  })

  test('after SIGKILL, the command receives the chosen signal', async () => {
    const { child, read } = await start('-s', 'USR1', '30', ...reports('TERM', 'USR1'))
    child.kill('SIGKILL')
    await eventually('the command receives it', () => read().includes('got'), read)
    await eventually('the output is closed', () => child.stdout!.readableEnded || child.stdout!.destroyed)
    expect(read()).toContain('got USR1')
  })

  test('after SIGKILL, a nested timeout ends its own command', async () => {
    const nested = [process.execPath, bin, 'timeout', '25']
    const { child, read } = await start('-sALRM', '30', ...nested, ...reports('ALRM', 'TERM'))
    const ended = ending(child)
    child.kill('SIGKILL')
    await ended
    expect(read()).toContain('got TERM')
    expect(read()).not.toContain('got ALRM')
  })

  test('after SIGKILL, a command that ignores the chosen signal is killed', async () => {
    const { child } = await start(
      '-k',
      '0.3',
      '30',
      'sh',
      '-c',
      'trap "" TERM; echo up; while :; do sleep 0.1; done',
    )
    child.kill('SIGKILL')
    // The output is closed only when the command has exited, too.
    expect(await ending(child)).toEqual({ code: null, signal: 'SIGKILL' })
  })

  test('works if the reader of its messages has exited', () => {
    const line = `{ "$0" "$1" timeout -v .2 sleep 9 2>&1; echo $? > status; } | :; cat status`
    const { stdout } = spawnSync('sh', ['-c', line, process.execPath, bin], { encoding: 'utf8', cwd: folder })
    expect(stdout).toBe('124\n')
  })

  test.each(['1e-10000', '.'.padEnd(400, '0').concat('1'), '0x1p-99999'])(
    '%s is a very short limit, not 0',
    async (duration) => {
      expect((await runCurfew(['timeout', duration, 'sleep', '9'])).code).toBe(124)
    },
  )

  test('-v prints signal 0 as a number', async () => {
    const { stderr, code } = await runCurfew(['timeout', '-v', '-s0', '-k', '.1', '.1', 'sleep', '9'])
    expect(code).toBe(128 + constants.signals.SIGKILL)
    expect(stderr).toBe(
      "curfew timeout: sending signal 0 to command 'sleep'\ncurfew timeout: sending signal KILL to command 'sleep'\n",
    )
  })

  test('calls itself timeout if started through a link of that name', () => {
    const link = join(folder, 'timeout')
    symlinkSync(bin, link)
    const run = (...args: string[]) => spawnSync(process.execPath, [link, ...args], { encoding: 'utf8' })
    expect(run('-v', '.1', 'sleep', '9')).toMatchObject({
      status: 124,
      stderr: "timeout: sending signal TERM to command 'sleep'\n",
    })
    expect(run('x', 'true')).toMatchObject({
      status: 125,
      stderr: expect.stringMatching(/^timeout: .*\nTry 'timeout --help'/),
    })
    expect(run('--help').stdout).toMatch(/^Usage: timeout /)
  })

  test.each([
    ['RTMIN', '34'],
    ['RTMAX-1', '63'],
  ])('-s %s sends signal %s', async (name, number) => {
    const { stderr } = await runCurfew(['timeout', '-v', '-s', name, '.1', 'sleep', '9'])
    expect(stderr).toContain(`sending signal ${number} `)
  })
})
