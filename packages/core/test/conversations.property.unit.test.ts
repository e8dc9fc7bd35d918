import {
  type Answer,
  type CallResult,
  type CallStatus,
  type Conversation,
  createRuntime,
  defineTool,
  type Reservation,
  type Runtime,
  type Step,
  type Transition,
  type Turn,
} from '@curfew/core'
import { callEdges } from '@curfew/core/internal'
import { createFakeClock, scriptedTool } from '@curfew/core/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scaled } from '../../../test/support/scaled.ts'

const toolNames = [
  'write',
  'read',
  'append',
  'single',
  'hang',
  'ask',
  'serve',
  'agent',
  'keyed_agent',
  'stubborn_agent',
  'nothing',
] as const

const request = fc.record({ name: fc.constantFrom(...toolNames), key: fc.constantFrom('a', 'b') })
const index = fc.nat(20)

/** What programs, people and frameworks do with a runtime, in any order. */
const action = fc.oneof(
  fc.record({ do: fc.constant('conversation' as const), client: fc.constantFrom('x', 'y') }),
  fc.record({ do: fc.constant('turn' as const), of: index, typed: fc.boolean() }),
  fc.record({
    do: fc.constant('execute' as const),
    of: index,
    calls: fc.array(request, { maxLength: 5 }),
    abortAfter: fc.option(fc.nat(100)),
  }),
  fc.record({ do: fc.constant('step' as const), of: index }),
  fc.record({ do: fc.constant('reserve' as const), of: index, call: request }),
  fc.record({ do: fc.constant('run' as const), of: index }),
  fc.record({ do: fc.constant('release' as const), of: index }),
  fc.record({ do: fc.constant('closeStep' as const), of: index }),
  fc.record({ do: fc.constant('detach' as const), of: index }),
  fc.record({ do: fc.constant('cancel' as const), of: index }),
  fc.record({
    do: fc.constant('answer' as const),
    of: index,
    answers: fc.array(
      fc.constantFrom<Exclude<Answer, undefined>>('once', 'turn', 'no', 'stop', { text: 'a' }),
      {
        minLength: 1,
        maxLength: 3,
      },
    ),
  }),
  fc.record({ do: fc.constant('cancelTurn' as const), of: index }),
  fc.record({ do: fc.constant('close' as const), of: index }),
  fc.record({
    do: fc.constant('react' as const),
    to: fc.constantFrom<CallStatus>('validating', 'awaiting_approval', 'scheduled', 'executing', 'success'),
    with: fc.constantFrom<Reaction>('cancel', 'cancelTurns', 'detach', 'answer', 'closeSteps', 'execute'),
  }),
  fc.record({ do: fc.constant('advance' as const), ms: fc.constantFrom(1, 10, 100, 5_000) }),
)

/** What an observer does while the runtime notifies it. */
type Reaction = 'cancel' | 'cancelTurns' | 'detach' | 'answer' | 'closeSteps' | 'execute'

type Action = typeof action extends fc.Arbitrary<infer A> ? A : never

interface Running {
  readonly uid: number
  readonly name: string
  readonly key: string
  background: boolean
}

class World {
  readonly clock = createFakeClock()
  readonly runtime: Runtime
  readonly conversations: Conversation[] = []
  readonly turns: { turn: Turn; conversation: Conversation }[] = []
  readonly steps: { step: Step; closed: boolean; reserved: Reservation[] }[] = []
  readonly reservations: Reservation[] = []
  readonly batches: { size: number; results: Promise<CallResult[]> }[] = []
  readonly answered = new Map<number, number>()
  readonly answersInTime: boolean[] = []
  readonly transitions = new Map<number, Transition[]>()
  readonly running = new Map<number, Running>()
  readonly closing: Promise<void>[] = []
  readonly conflicts: Running[] = []
  /** The background tasks by the calls that they continue. */
  readonly tasks = new Map<number, number>()
  /** The signals of stubborn agents, by the uid that they know. */
  readonly signals = new Map<number, AbortSignal>()
  /** Calls that started inside a call that had been stopped. */
  readonly startedLate: Transition[] = []
  /** For the next transition to a status. */
  readonly reactions = new Map<CallStatus, Reaction>()
  #ids = 0

  constructor() {
    const { clock } = this
    this.runtime = createRuntime({
      clock,
      log: () => {},
      concurrency: 3,
      approval: { default: 'allow', rules: { ask: ['ask'] } },
      ask: () => 'later',
      approvalTimeout: 20_000,
      limits: { callsPerTurn: 12, depth: 2 },
    })
    this.runtime.onTransition((transition) => {
      const seen = this.transitions.get(transition.uid) ?? []
      this.transitions.set(transition.uid, [...seen, transition])
    })
    // Before the observer that reacts, which may stop the agent while its call starts.
    this.runtime.onTransition((transition) => {
      const { parentUid } = transition.call
      const [agent] = [...this.tasks].find(([, task]) => task === parentUid) ?? [parentUid]
      if (transition.to === 'executing' && agent !== null && this.signals.get(agent)?.aborted)
        this.startedLate.push(transition)
    })
    this.runtime.onTransition((transition) => this.#react(transition))
    const resources = ({ key }: Record<string, unknown>) => [String(key)]
    const track = (name: string, steps: Parameters<typeof scriptedTool>[0]['script']) =>
      scriptedTool({
        clock,
        name,
        readOnly: name === 'read',
        concurrent: name === 'read',
        ...(name === 'single' && { maxConcurrent: 1 }),
        ...((name === 'append' || name === 'single') && { resources }),
        timeout: 2_000,
        script: (params) => [
          { run: ({ uid }) => this.#onStart(uid, name, String(params.key)) },
          ...(typeof steps === 'function' ? steps(params) : steps),
          { run: ({ uid }) => void this.running.delete(uid) },
        ],
      })
    this.runtime.register(
      track('write', [{ wait: 20 }]),
      track('read', [{ wait: 10 }]),
      track('append', [{ wait: 15 }]),
      track('single', [{ wait: 10 }]),
      track('ask', [{ ask: 'Which?' }]),
      track('hang', [{ wait: 1_000_000 }]),
      scriptedTool({
        clock,
        name: 'serve',
        script: [{ wait: 5 }, { run: (context) => context.detach() }, { wait: 3_000 }],
      }),
      defineTool({
        name: 'agent',
        description: 'Run a subagent.',
        timeout: 3_000,
        parameters: { type: 'object', properties: { key: { type: 'string' } } },
        execute: async ({ key }, context) => {
          const turn = context.conversation().turn()
          const calls = ['append', 'single', 'read', 'ask'].map((name) => ({
            id: name,
            name,
            params: { key },
          }))
          return (await turn.execute(calls)).length
        },
      }),
      // Its calls share its key, which they keep if it continues in the background.
      scriptedTool({
        clock,
        name: 'keyed_agent',
        resources,
        script: ({ key }) => {
          const calls = ['append', 'append', 'single'].map((name) => ({ id: name, name, params: { key } }))
          return [{ run: (context) => context.execute(calls) }, { run: (context) => context.execute(calls) }]
        },
      }),
    )
    this.runtime.register(
      defineTool({
        name: 'stubborn_agent',
        description: 'Run a subagent that ignores its signal.',
        timeout: 50,
        parameters: { type: 'object', properties: { key: { type: 'string' } } },
        execute: async ({ key }, context) => {
          this.signals.set(context.uid, context.signal)
          const turn = context.conversation().turn()
          for (let count = 0; count < 10; count++)
            await turn.run({ id: 'read', name: 'read', params: { key } }).catch(() => {})
        },
      }),
    )
    // A signal, a deadline or a detached parent may end the tracked part of a tool without its last step.
    this.runtime.onTransition(({ uid, to }) => {
      if (['success', 'error', 'cancelled'].includes(to)) this.running.delete(uid)
    })
  }

  /** Calls that conflict never run at the same time, except for background tasks, which have released their keys. */
  #onStart(uid: number, name: string, key: string): void {
    // A call that was detached before its tool started has the uid of its task.
    const task = [...this.tasks.values()].find((other) => other === uid) ?? this.tasks.get(uid)
    const started = { uid: task ?? uid, name, key, background: task !== undefined }
    if (task === undefined && (name === 'append' || name === 'single')) {
      const conflict = [...this.running.values()].find(
        (other) => other.name === name && (name === 'single' || other.key === key) && !other.background,
      )
      this.conflicts.push(...(conflict === undefined ? [] : [conflict]))
    }
    this.running.set(started.uid, started)
  }

  async do(step: Action): Promise<void> {
    const { runtime } = this
    switch (step.do) {
      case 'conversation':
        this.conversations.push(runtime.conversation({ client: step.client, ask: () => undefined }))
        return
      case 'turn': {
        const conversation = pick(this.conversations, step.of)
        if (conversation === undefined) return
        this.#try(() => {
          const turn = conversation.turn(step.typed ? { origin: 'person' } : {})
          this.turns.push({ turn, conversation })
        })
        return
      }
      case 'execute': {
        const turn = pick(this.turns, step.of)?.turn
        const signal = new AbortController()
        const calls = step.calls.map((call) => this.#call(call))
        const results = (turn ?? runtime).execute(calls, { signal: signal.signal })
        const { abortAfter } = step
        if (abortAfter !== null) this.clock.setTimer(abortAfter, () => signal.abort())
        this.batches.push({
          size: calls.length,
          results: results.catch(() => Array(calls.length).fill(null)),
        })
        return
      }
      case 'step': {
        const turn = pick(this.turns, step.of)?.turn
        if (turn !== undefined) this.steps.push({ step: turn.step(), closed: false, reserved: [] })
        return
      }
      case 'reserve': {
        const open = pick(this.steps, step.of)
        if (open === undefined) return
        this.#try(() => {
          const reservation = open.step.reserve(this.#call(step.call))
          open.reserved.push(reservation)
          this.reservations.push(reservation)
        })
        return
      }
      case 'run': {
        const reservation = pick(this.reservations, step.of)
        if (reservation === undefined) return
        this.batches.push({ size: 1, results: reservation.run().then((result) => [result]) })
        return
      }
      case 'release':
        return pick(this.reservations, step.of)?.release()
      case 'closeStep':
        return pick(this.steps, step.of)?.step.close()
      case 'detach': {
        const row = pick(
          runtime.getSnapshot().calls.filter(({ status }) => status === 'executing'),
          step.of,
        )
        if (row === undefined) return
        this.#detach(row.uid)
        return
      }
      case 'cancel': {
        const row = pick(runtime.getSnapshot().calls, step.of)
        if (row === undefined) return
        expect(runtime.cancel({ uid: row.uid })).toBe(row.endedAt === null)
        return
      }
      case 'answer': {
        const question = pick(runtime.getSnapshot().questions, step.of)
        if (question === undefined) return
        const accepted = step.answers.filter((answer) => runtime.answer(question.id, answer as never))
        expect(accepted).toEqual([step.answers[0]])
        this.answered.set(question.id, (this.answered.get(question.id) ?? 0) + 1)
        return
      }
      case 'cancelTurn': {
        const entry = pick(this.turns, step.of)
        entry?.turn.cancel('ESC')
        if (entry !== undefined) expect(entry.turn.status().stopped).toBe(true)
        return
      }
      case 'close': {
        const conversation = pick(this.conversations, step.of)
        if (conversation !== undefined) this.closing.push(conversation.close())
        return
      }
      case 'react':
        this.reactions.set(step.to, step.with)
        return
      case 'advance':
        await this.clock.advance(step.ms)
    }
  }

  #detach(uid: number): void {
    const started = this.running.get(uid)
    const task = this.runtime.detach(uid)
    if (task === null) return
    this.tasks.set(uid, task)
    if (started === undefined) return
    this.running.delete(uid)
    this.running.set(task, { ...started, background: true })
  }

  #react({ uid, to, state }: Transition): void {
    const reaction = this.reactions.get(to)
    this.reactions.delete(to)
    if (reaction === 'cancel') this.runtime.cancel({ uid })
    else if (reaction === 'cancelTurns') for (const { turn } of this.turns) turn.cancel('ESC')
    else if (reaction === 'detach') this.#detach(uid)
    else if (reaction === 'closeSteps') for (const { step } of this.steps) step.close()
    else if (reaction === 'execute') {
      const results = this.runtime.execute([this.#call({ name: 'append', key: 'a' })])
      this.batches.push({ size: 1, results: results.catch(() => [null as never]) })
    } else if (reaction === 'answer' && state.status === 'awaiting_approval')
      this.answersInTime.push(this.runtime.answer(state.question.id, 'once'))
  }

  #isBusy(): boolean {
    const { calls } = this.runtime.getSnapshot()
    return calls.some(({ status, background }) => !background && isHeld(status))
  }

  /** Nothing that has ended may still hold a slot or a key. */
  async #checkNothingIsHeld(): Promise<void> {
    const { runtime, clock } = this
    this.reactions.clear()
    // Long enough for all timeouts and questions, one after the other.
    for (let minutes = 0; minutes < 60 && this.#isBusy(); minutes++) await clock.advance(60_000)
    for (const { status, background, name } of runtime.getSnapshot().calls)
      expect(background || !isHeld(status), `${name} is ${status}`).toBe(true)
    let running = 0
    let maxRunning = 0
    const stopCounting = runtime.onTransition(({ to, call }) => {
      // Background tasks may go on; neither they nor the calls inside them take these slots.
      if (call.background || call.parentUid !== null) return
      if (to === 'executing') maxRunning = Math.max(maxRunning, ++running)
      else if (to === 'success') running--
    })
    const calls = ['read', 'read', 'read', 'read', 'read', 'single', 'append', 'append', 'write']
    const results = await clock.runUntil(
      runtime.execute(calls.map((name, at) => this.#call({ name, key: at % 2 === 0 ? 'a' : 'b' }))),
    )
    stopCounting()
    expect(results.map(({ status }) => status)).toEqual(calls.map(() => 'success'))
    expect(maxRunning).toBe(3)
  }

  #call({ name, key }: { name: string; key: string }) {
    // Ids repeat, as a model may repeat them.
    return { id: String(this.#ids++ % 3), name, params: { key } }
  }

  /** A closed conversation or step rejects. */
  #try(attempt: () => void): void {
    try {
      attempt()
    } catch (error) {
      expect(['CONVERSATION_CLOSED', 'INVALID_OPTION']).toContain((error as { code?: string }).code)
    }
  }

  /** Closes everything and checks what holds for every run. */
  async finish(): Promise<void> {
    const { runtime, clock } = this
    for (const { turn } of this.turns) {
      const { calls, callsLeft } = turn.status()
      expect(calls + callsLeft).toBeLessThanOrEqual(12)
    }
    await this.#checkNothingIsHeld()
    await clock.runUntil(runtime.close())
    await clock.runUntil(Promise.all(this.closing))
    expect(this.conflicts).toEqual([])
    expect(this.startedLate).toEqual([])
    expect(this.answersInTime).not.toContain(false)
    // The timers that abort batches are the test's own.
    await clock.advance(200)
    for (const { size, results } of this.batches) {
      const settled = await clock.runUntil(results)
      expect(settled).toHaveLength(size)
      for (const result of settled) {
        if (result === null || result.status !== 'success' || result.task === undefined) continue
        expect(this.transitions.get(result.task)?.at(-1)?.to).toMatch(/^(success|error|cancelled)$/)
      }
    }
    for (const reservation of this.reservations) await clock.runUntil(reservation.run())
    for (const transitions of this.transitions.values()) {
      const path = transitions.map(({ to }) => to)
      for (const [at, to] of path.slice(1).entries()) expect(callEdges[path[at]!]).toContain(to)
      expect(path.filter((to) => callEdges[to].length === 0)).toHaveLength(1)
    }
    expect(Math.max(0, ...this.answered.values())).toBeLessThanOrEqual(1)
    expect(runtime.getSnapshot().questions).toEqual([])
    expect(clock.pending).toBe(0)
  }
}

function pick<T>(list: readonly T[], at: number): T | undefined {
  return list[at % Math.max(1, list.length)]
}

test('every call ends once, whatever programs, people and frameworks do with conversations, steps and tasks', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 60 }), async (actions) => {
      const world = new World()
      world.conversations.push(world.runtime.conversation())
      world.turns.push({ turn: world.conversations[0]!.turn(), conversation: world.conversations[0]! })
      for (const next of actions) await world.do(next)
      await world.finish()
    }),
    { numRuns: scaled(1_000) },
  )
})

/** Calls in these states hold a slot or a key, or wait for one. A reservation that is never started stays `scheduled`. */
function isHeld(status: CallStatus): boolean {
  return status === 'executing' || status === 'awaiting_approval'
}
