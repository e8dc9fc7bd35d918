import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { plainEnvironment } from './plain-environment.ts'
import { PsSetup } from './ps-support.ts'

const bin = fileURLToPath(new URL('../bin/curfew.cjs', import.meta.url))
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
  expect(again.stderr).toMatch(/^curfew cancel: \S+ script_wait: has already been cancelled after .+ ago\n$/)
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
    stderr: `curfew cancel: ${found!.id} script_wait: is not running any more: its process, call (${child.pid}), ended before the call did\n`,
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

describe('the gateway', () => {
  async function connect(capabilities: object = {}, prepare: (client: Client) => void = () => {}) {
    const env = plainEnvironment(setup.environment()) as Record<string, string>
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [bin, 'mcp'],
      env,
      cwd: setup.project,
      stderr: 'ignore',
    })
    const client = new Client({ name: 'test', version: '1' }, { capabilities })
    prepare(client)
    await client.connect(transport)
    return client
  }

  test('its calls are listed and cancelled, and the client gets a result', async () => {
    setup.script('wait', 'exec sleep 300')
    const client = await connect()
    try {
      const results = ['a', 'b'].map((text) => client.callTool({ name: 'script_wait', arguments: { text } }))
      const calls = await setup.untilListed(2)
      expect(calls).toMatchObject(Array(2).fill({ program: 'mcp', tool: 'script_wait' }))
      const ids = calls.map(({ id }) => id)
      expect(await setup.run('cancel', ...ids, '--reason', 'too slow')).toMatchObject({ code: 0 })
      for (const result of await Promise.all(results)) {
        expect(result.isError).toBe(true)
        expect(JSON.stringify(result.content)).toContain('too slow')
      }
      expect(await setup.listed()).toEqual([])
    } finally {
      await client.close()
    }
  })

  test('a call that waits for approval says so, and is cancelled', async () => {
    setup.script('wait', 'exec sleep 300')
    setup.writeUser('config.json', { approval: { rules: { ask: ['script_wait'] } } })
    let questions = 0
    const client = await connect({ elicitation: { form: {} } }, (one) =>
      one.setRequestHandler('elicitation/create', () => {
        questions++
        return new Promise<never>(() => {})
      }),
    )
    try {
      const result = client.callTool({ name: 'script_wait', arguments: {} })
      await until(() => questions === 1)
      const [found] = await setup.untilListed(1, 'awaiting_approval')
      expect((await setup.run('ps')).stdout).toContain('waiting for your approval')
      const { code, stdout } = await setup.run('cancel', found!.id)
      expect([code, stdout]).toEqual([0, expect.stringContaining('script_wait: cancelled after')])
      expect((await result).isError).toBe(true)
    } finally {
      await client.close()
    }
  })
})
