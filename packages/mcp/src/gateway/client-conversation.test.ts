import { createRuntime, type Turn } from '@curfew/core'
import { createFakeClock, scriptedTool } from '@curfew/core/testing'
import { expect, test } from 'vitest'
import {
  type ClientConversation,
  ConnectionConversation,
  RequestConversations,
} from './client-conversation.ts'
import type { ClientRequest } from './client-request.ts'

/** A client whose person approves everything for as long as possible. */
function setUp(lasting: boolean) {
  const clock = createFakeClock()
  const runtime = createRuntime({ clock, log: () => {}, limits: { callsPerTurn: 2 } })
  runtime.register(scriptedTool({ clock, name: 'write', script: [{ return: 'written' }] }))
  const asked: unknown[] = []
  const request = {
    lasting,
    capabilities: { elicitation: { form: {} } },
    async ask(_method: string, params: unknown) {
      asked.push(params)
      return { action: 'accept', content: { answer: 'Yes, and for the next minute' } }
    },
  } as unknown as ClientRequest
  const options = { runtime, clock, client: 'client 1' }
  const run = (conversation: ClientConversation) => conversation.run(request, (turn) => write(turn))
  const write = async (turn: Turn) => {
    const [result] = await clock.runUntil(turn.execute([{ id: '1', name: 'write' }]))
    return result!.status === 'success' ? 'success' : result!.code
  }
  return { clock, runtime, asked, request, options, run }
}

test('approvals and limits of a connection last for a minute from the first call', async () => {
  const { clock, asked, request, options, run } = setUp(true)
  const conversation = new ConnectionConversation(options, () => request)
  expect(await run(conversation)).toBe('success')
  await clock.advance(59_000)
  expect(await run(conversation)).toBe('success')
  expect(await run(conversation)).toBe('LIMIT_EXCEEDED')
  expect(asked).toHaveLength(1)
  await clock.advance(1_000)
  expect(await run(conversation)).toBe('success')
  expect(asked).toHaveLength(2)
})

test('requests without a session share a limit per minute, and nothing else', async () => {
  const { clock, asked, options, run } = setUp(false)
  const requests = new RequestConversations(options)
  expect(await run(requests)).toBe('success')
  expect(await run(requests)).toBe('success')
  expect(await run(requests)).toBe('LIMIT_EXCEEDED')
  expect(asked).toHaveLength(2)
  await clock.advance(60_000)
  expect(await run(requests)).toBe('success')
  expect(asked).toHaveLength(3)
})

test('nothing runs after the end', async () => {
  const { request, options, run } = setUp(true)
  for (const conversation of [
    new ConnectionConversation(options, () => request),
    new RequestConversations(options),
  ]) {
    await conversation.close()
    await expect(run(conversation)).rejects.toMatchObject({ code: 'CONVERSATION_CLOSED' })
  }
})

test('a question of a call whose request has ended is not answered', async () => {
  const { asked, options, run } = setUp(true)
  expect(await run(new ConnectionConversation(options, () => undefined))).toBe('DENIED')
  expect(asked).toEqual([])
})
