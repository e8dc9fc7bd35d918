import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { PsSetup } from './ps-support.ts'

const setup = new PsSetup()

test('without a journal, nothing is running', async () => {
  expect(await setup.run('ps')).toEqual({
    code: 0,
    stdout: `nothing is running in ${setup.project}\n`,
    stderr: '',
  })
  expect(await setup.run('ps', '--all')).toMatchObject({ code: 0, stdout: 'nothing is running\n' })
  expect(await setup.run('ps', '--json')).toMatchObject({ stdout: '{"calls":[],"omitted":0}\n' })
  // Looking creates nothing.
  expect(readdirSync(setup.home)).not.toContain('.local')
})

test('a call of curfew call is listed, cancelled and gone', async () => {
  const { child, ended } = setup.beginCall('text=hello')
  const [found] = await setup.untilListed(1)
  expect(found).toMatchObject({
    parent: null,
    program: 'call',
    pid: child.pid,
    tool: 'script_wait',
    project: setup.project,
    contact: 'connected',
    args: 'text="hello"',
    timeoutMs: 300_000,
  })
  const { id } = found!
  await until(async () => (await setup.run('ps')).stdout.includes('| waiting for'))
  const { stdout } = await setup.run('ps')
  expect(stdout.replaceAll(/\d+s\/5m/g, '1s/5m').replaceAll(/waiting for \d+/g, 'waiting for 1')).toBe(
    `${'id'.padEnd(id.length)}  program${' '.repeat(`call(${child.pid})`.length - 5)}state    time   tool         arguments\n` +
      `${id}  call(${child.pid})  running  1s/5m  script_wait  hello | waiting for 1\n`,
  )
  const cancelled = await setup.run('cancel', id, '--reason', 'enough')
  expect(cancelled).toMatchObject({ code: 0, stderr: '' })
  expect(cancelled.stdout).toMatch(new RegExp(`^${id} script_wait: cancelled after [\\d.]+ (ms|s)\n$`))
  const { code, stdout: result } = await ended
  expect(code).toBe(130)
  expect(JSON.parse(result)).toMatchObject({ status: 'cancelled', message: 'the call was cancelled: enough' })
  expect(await setup.listed()).toEqual([])
  const again = await setup.run('cancel', id)
  expect(again).toMatchObject({ code: 1, stdout: '' })
  expect(again.stderr).toMatch(/^curfew cancel: \S+ script_wait has already been cancelled after .+ ago\n$/)
})

test('a process that was killed is not listed, and its call cannot be cancelled', async () => {
  const { child } = setup.beginCall()
  const [found] = await setup.untilListed(1)
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
  expect(await setup.listed()).toEqual([])
  expect(await setup.run('cancel', found!.id)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: `curfew cancel: ${found!.id} script_wait is no longer running: call (process ${child.pid}) ended before the call did\n`,
  })
})

describe('curfew cancel', () => {
  test.each([
    [['nonsense'], 1, /^curfew cancel: nonsense: there is no such call; expected an id such as m4tq-17\n$/],
    [
      ['zzzz-1'],
      1,
      /^curfew cancel: zzzz-1: there is no such call; curfew ps lists those that are running\n$/,
    ],
    [['\u001b[2J'], 1, /^curfew cancel: : there is no such call/],
    [['zzzz-1', '--reason', 'x'.repeat(501)], 2, /--reason: expected at most 500 characters, got 501/],
    [[], 2, /expected/],
  ])('%j', async (args, code, message) => {
    const ended = await setup.run('cancel', ...args)
    expect(ended).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(message) })
  })
})
