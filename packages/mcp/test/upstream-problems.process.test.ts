import { type Clock, systemClock } from '@curfew/core/internal'
import { expect, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { stdioUpstream } from './helpers/stdio-upstream.ts'

const { signal } = new AbortController()
const waitMs = 20_000
const act = { method: 'tools/call', params: { name: 'act', arguments: {} } }

test('an oversized notification is logged once', async () => {
  const { upstream, logged } = await stdioUpstream({ mode: 'huge-notification' })
  await upstream.request(act, { signal })
  await upstream.request(act, { signal })
  await until(() => logged.length > 0, waitMs)
  expect(logged).toEqual([
    expect.stringMatching(/^the MCP server server: sent an invalid notification: .*\d+ bytes/),
  ])
})

test('a second response to a request is not logged', async () => {
  const { upstream, logged } = await stdioUpstream({ mode: 'answers-twice' })
  for (let i = 0; i < 3; i++) await upstream.request(act, { signal })
  expect(logged).toEqual([])
})

test('a server that is stopped is logged once', async () => {
  const { upstream, logged } = await stdioUpstream({ mode: 'answer-flood' })
  await expect(upstream.request(act, { signal })).rejects.toThrow('more than 5000 unsolicited messages')
  await until(() => !upstream.connected, waitMs)
  expect(logged.filter((line) => line.includes('more than 5000 unsolicited messages'))).toHaveLength(1)
})

test('lists that are not returned in time name the limit', async () => {
  const settings = { startTimeoutMs: 25_000 }
  let limits = 0
  // The first timer limits the start and is not shortened.
  const setTimer: Clock['setTimer'] = (delayMs, run) =>
    systemClock.setTimer(delayMs === settings.startTimeoutMs && limits++ > 0 ? 10 : delayMs, run)
  const clock = { ...systemClock, setTimer }
  const { upstream, logged } = await stdioUpstream({ mode: 'answers-only-tools', settings, clock })
  await upstream.connect(signal)
  await until(() => logged.length > 0, waitMs)
  expect(logged.join('\n')).toMatch(/within 25 s \(startTimeout/)
})
