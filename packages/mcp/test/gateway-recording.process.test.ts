import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loggedLines, recordedCalls } from '../../../test/support/read-recording.ts'
import { until } from '../../../test/support/until.ts'
import { createHome, startGateway } from './helpers/gateway.ts'

const stateOf = ({ folder }: { readonly folder: string }): string => join(folder, '.local', 'state')

test('a call that runs long is logged with every heartbeat, and recorded', async () => {
  await using home = await createHome(() => ({}), { heartbeat: '1s' })
  await using gateway = await startGateway(home, { args: ['--builtins'] })
  const { isError } = await gateway.client.callTool({ name: 'sleep', arguments: { seconds: 2.5 } })
  expect(isError).not.toBe(true)
  await gateway.close()
  const state = stateOf(home)
  await until(() => recordedCalls(state)[0]?.isEnded === true)
  const [call] = recordedCalls(state)
  expect(call).toMatchObject({ program: 'mcp', tool: 'sleep', status: 'success' })
  const lines = loggedLines(state)
  const own = { pid: gateway.pid, program: 'mcp', level: 'info' }
  expect(lines).toMatchObject([
    { ...own, run: call!.id.split('-')[0], project: home.folder, msg: 'started' },
    { ...own, call: call!.id, tool: 'sleep', msg: 'running name=sleep elapsed=1s/3s' },
    { ...own, call: call!.id, tool: 'sleep', msg: 'running name=sleep elapsed=2s/3s' },
    { ...own, msg: 'ended' },
  ])
  expect(lines[1]).toMatchObject({
    timeoutMs: 3_000,
    elapsedMs: expect.any(Number),
    time: expect.any(String),
  })
})

test('failures and denials are logged with their codes', async () => {
  const config = { approval: { rules: { deny: ['sleep(0.01)'] } } }
  await using home = await createHome(() => ({}), config)
  await using gateway = await startGateway(home, { args: ['--builtins'] })
  await gateway.client.callTool({ name: 'sleep', arguments: { seconds: 0.01 } })
  await gateway.client.callTool({ name: 'sleep', arguments: { seconds: -1 } })
  const state = stateOf(home)
  await until(() => recordedCalls(state).filter(({ status }) => status === 'error').length === 2)
  const warnings = () => loggedLines(state).filter(({ level }) => level === 'warn')
  await until(() => warnings().length === 2)
  const [denied, failed] = recordedCalls(state)
  expect(warnings()).toMatchObject([
    { call: denied!.id, code: 'DENIED', msg: 'denied name=sleep code=DENIED' },
    { call: failed!.id, code: 'INVALID_PARAMS', msg: 'failed name=sleep code=INVALID_PARAMS' },
  ])
})

test('calls that are running at the end of the gateway are recorded as cancelled', async () => {
  await using home = await createHome(() => ({}))
  await using gateway = await startGateway(home, { args: ['--builtins'] })
  const call = gateway.client.callTool({ name: 'sleep', arguments: { seconds: 60 } }).catch(() => {})
  const state = stateOf(home)
  await until(() => recordedCalls(state)[0]?.status === 'executing')
  process.kill(gateway.pid, 'SIGTERM')
  await until(() => recordedCalls(state)[0]?.isEnded === true)
  await call
  expect(recordedCalls(state)).toMatchObject([{ status: 'cancelled', code: 'CANCELLED' }])
  await until(() => loggedLines(state).some(({ msg }) => msg === 'cancelled name=sleep code=CANCELLED'))
})

test('a journal that cannot be written is reported once, in the log of the gateway, and calls work', async () => {
  await using home = await createHome(() => ({}))
  const env = { ...home.env, XDG_STATE_HOME: join(home.folder, '.config', 'curfew', 'mcp.json') }
  await using gateway = await startGateway({ ...home, env }, { args: ['--builtins'] })
  for (let count = 0; count < 2; count++) {
    const { isError } = await gateway.client.callTool({ name: 'sleep', arguments: { seconds: 0.01 } })
    expect(isError).not.toBe(true)
  }
  await until(() => gateway.stderr().includes('calls are not recorded'))
  await gateway.close()
  expect(gateway.stderr()).toMatch(/^curfew mcp: .*: calls are not recorded: .*\n$/)
})
