import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { createFakeClock } from '@curfew/core/testing'
import { expect, test } from 'vitest'
import { ModelWatch } from './model-watch.ts'

function setUp() {
  const clock = createFakeClock()
  const watch = new ModelWatch(clock)
  let send!: (part: LanguageModelV4StreamPart) => void
  const stream = new ReadableStream<LanguageModelV4StreamPart>({
    start(controller) {
      send = (part) => controller.enqueue(part)
    },
  })
  const model = { provider: 'test.chat', modelId: 'm', doStream: async () => ({ stream }) }
  return {
    clock,
    watch,
    wrapped: watch.wrap(model as unknown as LanguageModelV4),
    send: (part: object) => send(part as never),
  }
}

test('a request is open until its last part, since it was sent or since the last part of the response', async () => {
  const { clock, watch, wrapped, send } = setUp()
  const { stream } = await wrapped.doStream({ prompt: [] })
  const reader = stream.getReader()
  await clock.advance(100)
  expect(watch.open).toEqual([{ model: 'test:m', hasBegun: false, since: 0 }])
  for (const type of ['stream-start', 'ping']) {
    send({ type })
    await reader.read()
    expect(watch.open).toEqual([{ model: 'test:m', hasBegun: false, since: 0 }])
  }
  await clock.advance(100)
  send({ type: 'text-delta' })
  await reader.read()
  expect(watch.open).toEqual([{ model: 'test:m', hasBegun: true, since: 200 }])
  await clock.advance(100)
  send({ type: 'ping' })
  await reader.read()
  expect(watch.open).toEqual([{ model: 'test:m', hasBegun: true, since: 300 }])
  send({ type: 'finish' })
  await reader.read()
  expect(watch.open).toEqual([])
})

test('a request that is aborted or fails is no longer open', async () => {
  const { watch, wrapped } = setUp()
  const controller = new AbortController()
  await wrapped.doStream({ prompt: [], abortSignal: controller.signal })
  expect(watch.open).toHaveLength(1)
  controller.abort()
  expect(watch.open).toEqual([])
  const failing = { provider: 'test', modelId: 'm', doStream: () => Promise.reject(new Error('no')) }
  await expect(watch.wrap(failing as unknown as LanguageModelV4).doStream({ prompt: [] })).rejects.toThrow(
    'no',
  )
  expect(watch.open).toEqual([])
})
