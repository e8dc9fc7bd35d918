import type { CallRow } from '@curfew/core'
import { describe, expect, test, vi } from 'vitest'
import type { AgentEvent } from './agent-event.ts'
import { EventQueue } from './event-queue.ts'
import { mergeEvents } from './merge-events.ts'

const text = (value: string): AgentEvent => ({ type: 'text', text: value })
const callEvent = (uid: number, name: string): AgentEvent => ({
  type: 'call',
  row: { uid, name } as unknown as CallRow,
})
const end: AgentEvent = { type: 'end', reason: 'answer', message: null }

function setUp() {
  const onReturn = vi.fn()
  const queue = new EventQueue<AgentEvent>(onReturn, mergeEvents)
  return { queue, onReturn }
}

async function readAll(queue: EventQueue<AgentEvent>): Promise<AgentEvent[]> {
  const events: AgentEvent[] = []
  for await (const event of queue) events.push(event)
  return events
}

describe('EventQueue', () => {
  test('events are read in order, whether they are sent before or after they are waited for', async () => {
    const { queue, onReturn } = setUp()
    queue.push(text('a'))
    const reading = readAll(queue)
    await Promise.resolve()
    queue.push(text('b'))
    queue.push(end)
    queue.end()
    queue.push(text('too late'))
    expect(await reading).toEqual([text('a'), text('b'), end])
    expect(onReturn).not.toHaveBeenCalled()
  })

  test('a reader that stops while it waits does not wait for the next event', async () => {
    const { queue, onReturn } = setUp()
    const reader = queue[Symbol.asyncIterator]()
    const waiting = reader.next()
    expect(await reader.return!()).toEqual({ done: true, value: undefined })
    expect(await waiting).toEqual({ done: true, value: undefined })
    expect(onReturn).toHaveBeenCalledOnce()
    expect(await reader.next()).toEqual({ done: true, value: undefined })
  })

  test('a reader that stops at the last event does not withdraw the prompt', async () => {
    const { queue, onReturn } = setUp()
    queue.push(end)
    queue.end()
    for await (const _ of queue) break
    expect(onReturn).not.toHaveBeenCalled()
  })

  test('two readers share the events, and both end', async () => {
    const { queue } = setUp()
    const readers = [readAll(queue), readAll(queue)]
    for (const value of ['a', 'b', 'c']) queue.push(text(value))
    queue.end()
    expect((await Promise.all(readers)).flat()).toHaveLength(3)
  })

  test('events that nobody reads do not pile up, and nothing of the text is lost', async () => {
    const { queue } = setUp()
    for (let count = 0; count < 100_000; count++) {
      queue.push(text('x'))
      queue.push(callEvent(count % 3, `change ${count}`))
    }
    queue.push(end)
    queue.end()
    const events = await readAll(queue)
    expect(events.length).toBeLessThan(5_000)
    expect(
      events.map((event) => (event.type === 'text' ? event.text.length : 0)).reduce((a, b) => a + b),
    ).toBe(100_000)
    expect(events.at(-1)).toEqual(end)
  })
})

test('mergeEvents joins texts and keeps the latest row of each call', () => {
  const reasoning: AgentEvent = { type: 'reasoning', text: 'r' }
  const events = [text('a'), text('b'), callEvent(1, 'old'), text('c'), reasoning, callEvent(1, 'new'), end]
  expect(mergeEvents(events)).toEqual([text('abc'), reasoning, callEvent(1, 'new'), end])
})
