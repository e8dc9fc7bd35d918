import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import {
  type Answer,
  answerText,
  type Message,
  sendJson,
  serveMcp,
  startFakeServer,
} from './helpers/fake-server.ts'
import { remoteUpstream } from './helpers/remote-upstream.ts'

test('a remote server that rejects a key gets the new one, and the call is repeated', async () => {
  const pending: (() => void)[] = []
  const hold = (message: Message, response: ServerResponse): void =>
    void pending.push(() => answerText('pending')(message, response))
  const locked: Answer = ({ body, headers }, response) =>
    body.includes('"picky"') && headers.authorization !== 'Bearer right' && sendJson(response, 401, {})
  const server = await startFakeServer(locked, serveMcp({ hold, picky: answerText('welcome') }))
  const { upstream } = await remoteUpstream({
    url: `${server.origin}/mcp`,
    headers: { Authorization: ['Bearer ', { secret: 'KEY' }] },
  })
  let key = 'old'
  const call = (name: string): Promise<Record<string, unknown>> =>
    upstream.request(
      { method: 'tools/call', params: { name, arguments: {} } },
      { signal: new AbortController().signal, readSecret: async () => key },
    )
  const before = call('hold')
  await until(() => pending.length === 1)
  const rejection = { code: 'CREDENTIAL_REQUIRED', key: 'KEY', reason: 'rejected', retrySafe: true }
  await expect(call('picky')).rejects.toMatchObject(rejection)
  await expect(call('picky')).rejects.toMatchObject(rejection)
  key = 'right'
  expect(await call('picky')).toMatchObject({ content: [{ text: 'welcome' }] })
  pending[0]!()
  expect(await before).toMatchObject({ content: [{ text: 'pending' }] })
})
