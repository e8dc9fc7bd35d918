import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { createHome, curfew, type Home, startGateway } from './helpers/gateway.ts'

interface ListedCall {
  readonly id: string
  readonly program: string
  readonly tool: string
  readonly status: string
}

/** Runs the command in the folder of the gateway. */
async function run({ env, folder }: Home, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [curfew, ...args], { env, cwd: folder })
  return stdout
}

async function untilListed(home: Home, count: number, status: string): Promise<ListedCall[]> {
  let calls: ListedCall[] = []
  await until(async () => {
    calls = JSON.parse(await run(home, 'ps', '--json')).calls
    return calls.filter((call) => call.status === status).length === count
  })
  return calls
}

test('curfew ps lists the calls of a gateway, and curfew cancel ends them', async () => {
  await using home = await createHome(() => ({}))
  await using gateway = await startGateway(home, { args: ['--builtins'] })
  const results = [60, 61].map((seconds) =>
    gateway.client.callTool({ name: 'sleep', arguments: { seconds } }),
  )
  const calls = await untilListed(home, 2, 'executing')
  expect(calls).toMatchObject(Array(2).fill({ program: 'mcp', tool: 'sleep', pid: gateway.pid }))
  const output = await run(home, 'cancel', ...calls.map(({ id }) => id), '--reason', 'too slow')
  expect(output).toMatch(/^(\S+ sleep: cancelled after \S+ \w+\n){2}$/)
  for (const result of await Promise.all(results)) {
    expect(result.isError).toBe(true)
    expect(JSON.stringify(result.content)).toContain('too slow')
  }
  expect(await run(home, 'ps')).toBe(`nothing is running in ${home.folder}\n`)
})

test('a call that waits for the approval of a client is listed, and its question closed by curfew cancel', async () => {
  await using home = await createHome(() => ({}), { approval: { rules: { ask: ['sleep'] } } })
  let questions = 0
  let withdrawn = 0
  await using gateway = await startGateway(home, {
    args: ['--builtins'],
    capabilities: { elicitation: { form: {} } },
    prepare: (client) =>
      client.setRequestHandler('elicitation/create', (_, { mcpReq }) => {
        questions++
        mcpReq.signal.addEventListener('abort', () => withdrawn++)
        return new Promise<never>(() => {})
      }),
  })
  const result = gateway.client.callTool({ name: 'sleep', arguments: { seconds: 60 } })
  const [call] = await untilListed(home, 1, 'awaiting_approval')
  await until(() => questions === 1)
  expect(await run(home, 'ps')).toContain('waiting for your approval')
  expect(await run(home, 'cancel', call!.id)).toContain('sleep: cancelled before it started')
  expect((await result).isError).toBe(true)
  await until(() => withdrawn === 1)
})
