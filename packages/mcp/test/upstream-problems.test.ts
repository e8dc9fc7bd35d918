import { type Clock, systemClock } from '@curfew/core/internal'
import { expect, test } from 'vitest'
import { stdioUpstream } from './helpers/stdio-upstream.ts'
import { until } from './helpers/until.ts'

const { signal } = new AbortController()
const waitMs = 20_000
const act = { method: 'tools/call', params: { name: 'act', arguments: {} } }

test('a message that nobody waits for and that is not read is told of, once', async () => {
  const { upstream, logged } = await stdioUpstream({ mode: 'huge-notification' })
  await upstream.request(act, { signal })
  await upstream.request(act, { signal })
  await until(() => logged.length > 0, waitMs)
  expect(logged).toEqual([
    expect.stringMatching(
      /^the MCP server server: it sent an invalid notification: it has \d+ bytes; at most \d+ are read$/,
    ),
  ])
})

test('an answer that nobody waits for any more is no problem', async () => {
  const { upstream, logged } = await stdioUpstream({ mode: 'answers-twice' })
  for (let i = 0; i < 3; i++) await upstream.request(act, { signal })
  expect(logged).toEqual([])
})

test('a server that is stopped is told of once', async () => {
  const { upstream, logged } = await stdioUpstream({ mode: 'notification-flood' })
  await expect(upstream.request(act, { signal })).rejects.toThrow('more than 5000 messages in a second')
  await until(() => !upstream.connected, waitMs)
  expect(logged.filter((line) => line.includes('more than 5000 messages'))).toHaveLength(1)
})

test('lists that do not come within the limit say which one it is', async () => {
  const settings = { startTimeoutMs: 25_000 }
  let limits = 0
  // The first is that of the start, which may take as long as it likes.
  const setTimer: Clock['setTimer'] = (delayMs, run) =>
    systemClock.setTimer(delayMs === settings.startTimeoutMs && limits++ > 0 ? 10 : delayMs, run)
  const clock = { ...systemClock, setTimer }
  const { upstream, logged } = await stdioUpstream({ mode: 'answers-only-tools', settings, clock })
  await upstream.connect(signal)
  await until(() => logged.length > 0, waitMs)
  expect(logged.join('\n')).toMatch(/within 25 s \(startTimeout, which is the limit for its lists, too\)/)
})
