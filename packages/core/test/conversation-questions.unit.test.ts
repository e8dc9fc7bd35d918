import { type Conversation, createRuntime, defineTool, type RuntimeOptions } from '@curfew/core'
import { createFakeClock } from '@curfew/core/testing'
import { expect, test } from 'vitest'

const question = { message: 'Go on?', choices: ['yes', 'no'] }

function setUp(options: RuntimeOptions = {}) {
  const runtime = createRuntime({ log: () => {}, ...options })
  return { runtime, conversation: runtime.conversation() }
}

const codeOf = (answer: Promise<string>) => answer.catch((error: { code: string }) => error.code)

test('a conversation asks a question without a call', async () => {
  const { runtime, conversation } = setUp({ ask: () => 'later' })
  const answer = conversation.ask(question)
  await expect.poll(() => runtime.getSnapshot().questions.length).toBe(1)
  const [open] = runtime.getSnapshot().questions
  expect(open).toMatchObject({ kind: 'input', callUid: null, conversation: conversation.id, ...question })
  runtime.answer(open!.id, { text: 'yes' })
  expect(await answer).toBe('yes')
  expect(runtime.getSnapshot().questions).toEqual([])
})

test('without anybody to ask, or with an invalid answer, it is denied', async () => {
  expect(await codeOf(setUp().conversation.ask(question))).toBe('DENIED')
  expect(await codeOf(setUp({ ask: () => ({ text: 'maybe' }) }).conversation.ask(question))).toBe('DENIED')
})

test('it expires', async () => {
  const clock = createFakeClock()
  const { conversation } = setUp({ clock, ask: () => 'later' })
  expect(await clock.runUntil(codeOf(conversation.ask(question)))).toBe('APPROVAL_EXPIRED')
  expect(clock.now()).toBe(600_000)
})

test.each<[string, (conversation: Conversation, controller: AbortController) => unknown]>([
  ['the signal is aborted', (_conversation, controller) => controller.abort()],
  ['the conversation is closed', (conversation) => conversation.close()],
])('it is withdrawn when %s', async (_name, stop) => {
  const { runtime, conversation } = setUp({ ask: () => 'later' })
  const controller = new AbortController()
  const answer = codeOf(conversation.ask(question, { signal: controller.signal }))
  await expect.poll(() => runtime.getSnapshot().questions.length).toBe(1)
  await stop(conversation, controller)
  expect(await answer).toBe('CANCELLED')
  expect(runtime.getSnapshot().questions).toEqual([])
})

test('nothing is asked after an abort, or in a closed conversation', async () => {
  const { runtime, conversation } = setUp({ ask: () => 'later' })
  expect(await codeOf(conversation.ask(question, { signal: AbortSignal.abort() }))).toBe('CANCELLED')
  await conversation.close()
  expect(await codeOf(conversation.ask(question))).toBe('CONVERSATION_CLOSED')
  expect(runtime.getSnapshot().questions).toEqual([])
})

test('inside a call, the call asks and its clock is paused', async () => {
  const clock = createFakeClock()
  const { runtime } = setUp({ clock, ask: () => 'later' })
  runtime.register(
    defineTool({
      name: 'outer',
      description: 'Ask in a conversation.',
      readOnly: true,
      timeout: 1_000,
      execute: (_params, context) => context.conversation().ask(question),
    }),
  )
  const results = runtime.execute([{ id: 'c', name: 'outer', params: {} }])
  await clock.advance(5_000)
  const [row] = runtime.getSnapshot().calls
  const [open] = runtime.getSnapshot().questions
  expect(row).toMatchObject({ status: 'executing', paused: true })
  expect(open).toMatchObject({ callUid: row!.uid, callId: 'c', tool: 'outer' })
  runtime.answer(open!.id, { text: 'no' })
  expect((await clock.runUntil(results))[0]).toMatchObject({ status: 'success', value: 'no' })
})

test('the signal of a conversation is aborted when it is closed, or the call around it ends', async () => {
  const { runtime, conversation } = setUp()
  const { signal } = conversation
  let inner: Conversation | undefined
  runtime.register(
    defineTool({
      name: 'outer',
      description: 'Open a conversation.',
      readOnly: true,
      execute: (_params, context) => {
        inner = context.conversation()
        return inner.signal.aborted
      },
    }),
  )
  const [result] = await conversation.execute([{ id: 'c', name: 'outer', params: {} }])
  expect(result).toMatchObject({ status: 'success', value: false })
  expect(inner!.signal.aborted).toBe(true)
  expect(signal.aborted).toBe(false)
  await conversation.close()
  expect(signal.reason).toMatchObject({ code: 'CONVERSATION_CLOSED' })
  // Also if nobody has used it before.
  const other = runtime.conversation()
  await other.close()
  expect(other.signal.aborted).toBe(true)
})
