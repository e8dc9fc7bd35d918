import type { JSONRPCMessage } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { deliverInOrder } from './deliver-in-order.ts'

const progress = (value: number): JSONRPCMessage => ({
  jsonrpc: '2.0',
  method: 'notifications/progress',
  params: { progressToken: 1, progress: value },
})
const answer = (id: number): JSONRPCMessage => ({ jsonrpc: '2.0', id, result: {} })

/** Handles as the SDK does: a notification a moment later, an answer at once. */
function listener(): { seen: string[]; take: (message: JSONRPCMessage) => void } {
  const seen: string[] = []
  const name = (message: JSONRPCMessage) => ('id' in message ? `answer ${message.id}` : 'progress')
  return {
    seen,
    take: (message) => {
      if ('id' in message) seen.push(name(message))
      else void Promise.resolve().then(() => seen.push(name(message)))
    },
  }
}

test('an answer is seen after the progress that came before it', async () => {
  const { seen, take } = listener()
  const deliver = deliverInOrder(take)
  for (const message of [progress(1), answer(1), progress(2), progress(3), answer(2), answer(3)])
    deliver(message)
  await new Promise((resolve) => setImmediate(resolve))
  expect(seen).toEqual(['progress', 'answer 1', 'progress', 'progress', 'answer 2', 'answer 3'])
})

test('answers alone wait for nothing', () => {
  const { seen, take } = listener()
  const deliver = deliverInOrder(take)
  deliver(answer(1))
  deliver(answer(2))
  expect(seen).toEqual(['answer 1', 'answer 2'])
})
