import { getEventListeners } from 'node:events'
import { type Agent, type AgentEvent, type AgentSnapshot, createAgent } from '@curfew/agent'
import { createRuntime, type Runtime } from '@curfew/core'
import { createFakeClock, type FakeClock, scriptedTool } from '@curfew/core/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scaled } from '../../../test/support/scaled.ts'
import { type DelayedResponse, delayedModel } from './support/delayed-model.ts'
import { assertBalanced } from './support/session-data.ts'

const response: fc.Arbitrary<DelayedResponse> = fc.record({
  firstTokenMs: fc.constantFrom(0, 50, 500),
  text: fc.array(fc.constantFrom('a', 'bc'), { maxLength: 3 }),
  betweenMs: fc.constantFrom(0, 100),
  calls: fc.array(fc.constantFrom('read', 'write', 'slow', 'stubborn', 'unknown'), { maxLength: 3 }),
  ends: fc.constantFrom('finish', 'finish', 'finish', 'finish', 'stall', 'error', 'ignores-abort'),
})

const action = fc.record({
  afterMs: fc.constantFrom(0, 0, 1, 20, 150, 700),
  /** Of two agents on the same runtime. */
  agent: fc.constantFrom(0, 1),
  type: fc.constantFrom(
    ...(['send', 'send', 'send', 'unread', 'break', 'abort', 'cancel', 'add', 'type'] as const),
    ...(['answer', 'deny', 'listen', 'close', 'twice'] as const),
  ),
})

test('in any interleaving, every prompt ends once, and the state agrees with the events', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(response, { minLength: 1, maxLength: 5 }),
      fc.array(action, { minLength: 1, maxLength: 12 }),
      async (responses, actions) => {
        const clock = createFakeClock()
        const runtime = createRuntime({
          clock,
          log: () => {},
          approval: { rules: { allow: ['read', 'slow', 'stubborn'] } },
          ask: () => new Promise(() => {}),
          approvalTimeout: 60_000,
        })
        runtime.register(
          scriptedTool({ clock, name: 'read', readOnly: true, concurrent: true, script: [{ wait: 10 }] }),
          scriptedTool({ clock, name: 'write', script: [{ wait: 30 }, { return: 'written' }] }),
          scriptedTool({ clock, name: 'slow', script: [{ wait: 5_000 }] }),
          scriptedTool({ clock, name: 'stubborn', ignoresSignal: true, script: [{ wait: 5_000 }] }),
        )
        const users = [0, 1].map(() => new User(clock, runtime, responses))
        for (const { afterMs, agent, type } of actions) {
          await clock.advance(afterMs)
          users[agent]!.act(type)
        }
        // Longer than every limit.
        await clock.advance(3_600_000)
        for (const user of users) await user.check()
        expect(runtime.getSnapshot().calls.filter(({ endedAt }) => endedAt === null)).toEqual([])
        expect(runtime.getSnapshot().questions).toEqual([])
        await clock.runUntil(runtime.close())
      },
    ),
    { numRuns: scaled(300) },
  )
})

interface Reading {
  readonly events: AgentEvent[]
  readonly signal: AbortSignal
  readonly readsAll: boolean
  hasEnded: boolean
}

class User {
  readonly #clock: FakeClock
  readonly #runtime: Runtime
  readonly #model: ReturnType<typeof delayedModel>
  readonly #agent: Agent
  readonly #readings: Reading[] = []
  readonly #controllers: AbortController[] = []
  readonly #typed: Promise<unknown>[] = []
  #notified: AgentSnapshot | null = null
  #isClosed = false

  constructor(clock: FakeClock, runtime: Runtime, responses: readonly DelayedResponse[]) {
    this.#clock = clock
    this.#runtime = runtime
    this.#model = delayedModel(clock, responses)
    this.#agent = createAgent({ model: this.#model, runtime, clock, log: () => {} })
    this.#agent.subscribe(() => {
      this.#notified = this.#agent.getSnapshot()
    })
  }

  act(type: (typeof action extends fc.Arbitrary<infer A> ? A : never)['type']): void {
    switch (type) {
      case 'send':
      case 'twice':
      case 'break':
      case 'unread':
        if (this.#isClosed) expect(() => this.#agent.send('Go.')).toThrow('closed')
        else this.#send(type)
        break
      case 'abort':
        this.#controllers.at(-1)?.abort()
        break
      case 'cancel':
        this.#agent.cancel()
        break
      case 'add':
        this.#agent.addParts([{ type: 'text', text: 'added' }])
        break
      case 'type':
        this.#typed.push(this.#agent.runAsPerson({ name: 'read', params: {} }).catch(() => {}))
        break
      case 'listen':
        this.#agent.subscribe(() => {
          throw new Error('this listener fails')
        })
        break
      case 'close':
        this.#isClosed = true
        this.#typed.push(this.#agent.close())
        break
      default: {
        const [question] = this.#runtime.getSnapshot().questions
        if (question !== undefined) this.#runtime.answer(question.id, type === 'answer' ? 'once' : 'no')
      }
    }
  }

  #send(type: 'send' | 'twice' | 'break' | 'unread'): void {
    const controller = new AbortController()
    this.#controllers.push(controller)
    const { signal } = controller
    const sent = this.#agent.send(`prompt ${this.#readings.length}`, { signal })
    const reading: Reading = { events: [], signal, readsAll: type === 'send', hasEnded: type === 'unread' }
    this.#readings.push(reading)
    const read = async (): Promise<void> => {
      for await (const event of sent) {
        reading.events.push(event)
        if (type === 'break') break
      }
      reading.hasEnded = true
    }
    if (type !== 'unread') void read()
    if (type === 'twice') void read()
  }

  async check(): Promise<void> {
    for (const { events, hasEnded, readsAll, signal } of this.#readings) {
      expect(hasEnded).toBe(true)
      const ends = events.filter(({ type }) => type === 'end')
      expect(ends.length).toBeLessThanOrEqual(1)
      if (readsAll) expect(events.at(-1)).toMatchObject({ type: 'end' })
      if (readsAll) expect(ends).toHaveLength(1)
      expect(getEventListeners(signal, 'abort')).toEqual([])
      this.#checkRows(events, readsAll)
    }
    await Promise.all(this.#typed)
    const snapshot = this.#agent.getSnapshot()
    expect(snapshot).toMatchObject({ streamingState: 'idle', pending: null, queued: [] })
    assertBalanced(snapshot.items)
    // Listeners were notified of the last change.
    if (this.#notified !== null) expect(this.#notified).toBe(snapshot)
    expect(this.#textOfEvents(snapshot)).toBe(true)
    if (!this.#isClosed) await this.#checkNextPrompt()
    await this.#clock.runUntil(this.#agent.close())
  }

  /** The last event of a call is its final row. */
  #checkRows(events: readonly AgentEvent[], readsAll: boolean): void {
    const rows = new Map(
      events.flatMap((event) => (event.type === 'call' ? [[event.row.uid, event.row]] : [])),
    )
    if (readsAll) for (const row of rows.values()) expect(row.endedAt).not.toBeNull()
  }

  /** What a reader received is in the history. */
  #textOfEvents({ items }: AgentSnapshot): boolean {
    const history = items
      .flatMap((item) => (item.type === 'assistant' ? item.parts : []))
      .map((part) => (part.type === 'text' ? part.text : ''))
      .join('')
    return this.#readings
      .filter(({ readsAll }) => readsAll)
      .every(({ events }) =>
        history.includes(events.map((event) => (event.type === 'text' ? event.text : '')).join('')),
      )
  }

  async #checkNextPrompt(): Promise<void> {
    this.#model.answerFromNowOn()
    const events: AgentEvent[] = []
    await this.#clock.runUntil(
      (async () => {
        for await (const event of this.#agent.send('And now?')) events.push(event)
      })(),
    )
    expect(events.at(-1)).toMatchObject({ type: 'end', reason: 'answer' })
  }
}
