import { expect, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { ServerLog } from '../src/client/server-log.ts'
import { stdioUpstream } from './helpers/stdio-upstream.ts'

const never = new AbortController().signal

test('the status of a server: stopped, running with its pid, failed after it was killed', async () => {
  const { upstream } = await stdioUpstream()
  expect(upstream.status).toMatchObject({ state: 'stopped', pid: null, calls: 0, lastError: null })
  await upstream.request({ method: 'ping', params: {} }, { signal: never })
  const { state, pid, since, calls } = upstream.status
  expect({ state, calls }).toEqual({ state: 'running', calls: 1 })
  expect(Math.abs(Date.now() - since)).toBeLessThan(60_000)
  process.kill(pid!, 'SIGKILL')
  await until(() => upstream.status.state === 'failed')
  expect(upstream.status).toMatchObject({
    pid: null,
    lastError: { message: expect.stringContaining('killed by SIGKILL') },
  })
  await upstream.connect(never)
  expect(upstream.status).toMatchObject({ state: 'running', calls: 1, lastError: expect.anything() })
  await upstream.disconnect()
  expect(upstream.status).toMatchObject({ state: 'stopped', pid: null })
})

test('a server that is lost was not stopped', async () => {
  const events: string[] = []
  const serverLog = new ServerLog('server', ({ kind, text }) => {
    if (kind === 'event') events.push(text.replace(/\d+/, 'N').replace(/;.+/s, ''))
  })
  const { upstream } = await stdioUpstream({ serverLog })
  await upstream.connect(never)
  process.kill(upstream.status.pid!, 'SIGKILL')
  await until(() => upstream.status.state === 'failed')
  await upstream.connect(never)
  await upstream.close()
  expect(events).toEqual([
    'starting',
    'started, pid N',
    'was lost: it was killed by SIGKILL',
    'starting',
    'started, pid N',
    'stopped',
  ])
})

test('the status of a server that does not start', async () => {
  const { upstream } = await stdioUpstream({ mode: 'exits-immediately' })
  const started = upstream.connect(never)
  await until(() => upstream.status.state === 'starting')
  await expect(started).rejects.toThrow('could not be started')
  expect(upstream.status).toMatchObject({
    state: 'failed',
    lastError: { message: expect.stringContaining('could not be started') },
  })
})
