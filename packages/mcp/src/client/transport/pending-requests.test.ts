import { expect, test } from 'vitest'
import { PendingRequests } from './pending-requests.ts'

const request = (id: number | string) => ({ jsonrpc: '2.0' as const, id, method: 'ping' })
const answer = (id: number | string) => ({ jsonrpc: '2.0' as const, id, result: {} })

test('an answer is owed once, until the request is cancelled or ended', () => {
  const open = new PendingRequests()
  for (const id of [0, 1, 2, 'listen:0']) open.onSend(request(id))
  expect(open.onMessage(request(0))).toBe(false)
  expect(open.onMessage(answer(0))).toBe(true)
  expect(open.onMessage(answer(0))).toBe(false)
  expect(open.onMessage(answer('1'))).toBe(true)
  open.onSend({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } })
  expect(open.onMessage(answer(2))).toBe(false)
  expect(open.end('listen:0')).toBe(true)
  expect(open.end('listen:0')).toBe(false)
  open.onSend(answer(3))
  expect(open.onMessage(answer(3))).toBe(false)
})
