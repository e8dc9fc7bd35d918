import { join } from 'node:path'
import { createRuntime } from '@curfew/core'
import { expect, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { ServerState } from '../src/client/state/server-state.ts'
import { upstreamTools } from '../src/client/tools/upstream-tools.ts'
import { Upstream } from '../src/client/upstream.ts'
import { modern } from './helpers/http-gateway.ts'
import { startTaskGateway, taskFixture } from './helpers/task-gateway.ts'

test('a client without tasks calls a tool that requires one; if it cancels the call, the task is cancelled', async () => {
  const { gateway, server } = await startTaskGateway('2025')
  const { client, call } = await gateway.connect(modern)
  // Models drop prefixes.
  expect(await call('failing_job')).toBe('the job failed')
  expect(server.received()).toContain('tasks/get')
  expect(gateway.gateway.upstreams[0]!.status.calls).toBe(1)
  const stop = new AbortController()
  const cancelled = client.callTool({ name: 'mcp__jobs__endless' }, { signal: stop.signal })
  await until(() => server.received().filter((method) => method === 'tools/call').length === 2)
  stop.abort()
  await expect(cancelled).rejects.toThrow()
  await until(() => server.received().includes('tasks/cancel'))
}, 60_000)

test('a program without a gateway calls a tool that requires a task, and sees its status', async () => {
  const { config, received } = await taskFixture('both')
  const upstream = new Upstream(config, {
    state: await ServerState.open(join(config.root, 'state'), config),
    readSecret: async () => '',
    log: () => {},
  })
  try {
    await upstream.connect(AbortSignal.timeout(30_000))
    const runtime = createRuntime({ approval: { default: 'allow' } })
    runtime.register(upstreamTools(upstream).map(({ tool }) => tool))
    const progress: unknown[] = []
    runtime.subscribe(() => {
      for (const row of runtime.getSnapshot().calls) progress.push(row.progress?.message)
    })
    const name = 'mcp__jobs__protocol_error_job'
    const [failed] = await runtime.execute([{ id: '1', name, params: {} }])
    expect(failed).toMatchObject({ status: 'error', message: expect.stringContaining('the job broke') })
    const [asked] = await runtime.execute([{ id: '2', name: 'mcp__jobs__multi_input', params: {} }])
    expect(asked).toMatchObject({ status: 'error', message: expect.stringContaining('nobody is available') })
    expect(progress).toContain('started')
    await until(() => received().includes('tasks/cancel'))
    await runtime.close()
  } finally {
    await upstream.close()
  }
}, 60_000)
