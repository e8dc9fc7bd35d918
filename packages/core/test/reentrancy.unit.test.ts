import { createRuntime, defineTool, type RuntimeOptions } from '@curfew/core'
import { createFakeClock, scriptedTool } from '@curfew/core/testing'
import { expect, test } from 'vitest'
import { codes } from './support/approval-setup.ts'

/** Observers, listeners, handlers and tool functions that use the runtime while it calls them. */
function setUp(options: RuntimeOptions = {}) {
  const clock = createFakeClock()
  const runtime = createRuntime({ clock, approval: 'allow', log: () => {}, ...options })
  runtime.register(
    scriptedTool({ clock, name: 'work', timeout: 2_000, script: [{ wait: 1_000 }, { return: 'done' }] }),
  )
  return { clock, runtime }
}

const work = { id: '1', name: 'work' }

test('all observers see the same order, even if one of them cancels the call', async () => {
  const { clock, runtime } = setUp()
  runtime.onTransition(({ uid, to }) => {
    if (to === 'scheduled') runtime.cancel({ uid })
  })
  const seen: string[] = []
  runtime.onTransition(({ to }) => void seen.push(to))
  await clock.runUntil(runtime.execute([work]))
  expect(seen).toEqual(['validating', 'scheduled', 'cancelled'])
})

test('an observer answers the question of a transition', async () => {
  const { clock, runtime } = setUp({ approval: 'ask' })
  const accepted: boolean[] = []
  runtime.onTransition(({ state }) => {
    if (state.status === 'awaiting_approval') accepted.push(runtime.answer(state.question.id, 'once'))
  })
  expect(codes(await clock.runUntil(runtime.execute([work])))).toEqual(['success'])
  expect(accepted).toEqual([true])
  expect(clock.pending).toBe(0)
})

test('an observer that detaches a call while it is being detached creates no second task', async () => {
  const { clock, runtime } = setUp()
  runtime.onTransition(({ call }) => {
    if (call.background) expect(runtime.detach(1)).toBeNull()
  })
  const running = runtime.execute([work])
  await clock.advance(10)
  expect(runtime.detach(1)).toBe(2)
  await clock.runUntil(running)
  await clock.advance(1_000)
  expect(runtime.getSnapshot().calls).toMatchObject([{ detachedTo: 2 }, { status: 'success' }])
  await clock.runUntil(runtime.close())
})

test('an observer detaches a call that is about to start', async () => {
  const { clock, runtime } = setUp()
  runtime.register(scriptedTool({ clock, name: 'slow', timeout: 100, script: [{ wait: 5_000 }] }))
  runtime.onTransition(({ uid, to, call }) => {
    if (to === 'executing' && !call.background) runtime.detach(uid)
  })
  expect(await clock.runUntil(runtime.execute([{ id: '1', name: 'slow' }]))).toMatchObject([{ task: 2 }])
  await clock.advance(5_000)
  expect(runtime.getCall(2)).toMatchObject({ status: 'success' })
  expect(clock.pending).toBe(0)
})

test('an observer that cancels a new background task stops the calls inside it', async () => {
  const { clock, runtime } = setUp()
  const script = [
    { run: (context) => context.execute([work]) },
    { wait: 5_000 },
  ] as const satisfies Parameters<typeof scriptedTool>[0]['script']
  runtime.register(scriptedTool({ clock, name: 'agent', ignoresSignal: true, script }))
  runtime.onTransition(({ uid, to, call }) => {
    if (to === 'executing' && call.background) runtime.cancel({ uid })
  })
  const running = runtime.execute([{ id: '1', name: 'agent' }])
  await clock.advance(10)
  const task = runtime.detach(1)!
  await clock.runUntil(running)
  await clock.settle()
  expect(runtime.getCall(2)).toMatchObject({ status: 'cancelled' })
  await clock.advance(10_000)
  expect(runtime.getCall(task)).toMatchObject({ status: 'cancelled' })
  expect(clock.pending).toBe(0)
})

test('resources that cancel their own call leave no key behind', async () => {
  const { clock, runtime } = setUp()
  let stops = true
  const resources = () => {
    if (stops) runtime.cancel('1')
    return ['key']
  }
  runtime.register(scriptedTool({ clock, name: 'append', resources, script: [] }))
  const transitions: string[] = []
  runtime.onTransition(({ to }) => void transitions.push(to))
  await clock.runUntil(runtime.execute([{ id: '1', name: 'append' }]))
  stops = false
  expect(codes(await clock.runUntil(runtime.execute([{ id: '1', name: 'append' }])))).toEqual(['success'])
  expect(transitions).toEqual(['validating', 'cancelled', 'validating', 'scheduled', 'executing', 'success'])
})

test.each(['validating', 'scheduled', 'executing', 'awaiting_approval', 'output', 'question', 'cancelled'])(
  'the runtime is closed during %s',
  async (when) => {
    const close = (now: string) => {
      if (now === when) void runtime.close()
    }
    const ask = () => {
      close('question')
      return 'once' as const
    }
    const { clock, runtime } = setUp({ approval: 'ask', ask })
    runtime.register(scriptedTool({ clock, name: 'print', script: [{ output: 'x' }, { wait: 10 }] }))
    runtime.onTransition(({ to }) => close(to))
    runtime.onOutput(() => close('output'))
    const controller = new AbortController()
    const running = runtime.execute([{ id: '1', name: 'print' }, work], { signal: controller.signal })
    await clock.advance(20)
    controller.abort()
    expect(await clock.runUntil(running)).toHaveLength(2)
    await clock.runUntil(runtime.close())
    expect(clock.pending).toBe(0)
  },
)

test('a conversation is closed by a tool that it runs', async () => {
  const { clock, runtime } = setUp()
  const conversation = runtime.conversation()
  runtime.register(
    defineTool({
      name: 'leave',
      description: 'Close the conversation.',
      parameters: { type: 'object' },
      execute: () => conversation.close(),
    }),
  )
  const results = await clock.runUntil(conversation.execute([{ id: '1', name: 'leave' }, work]))
  expect(codes(results)).toEqual(['CANCELLED', 'CANCELLED'])
  await clock.runUntil(conversation.close())
  expect(clock.pending).toBe(0)
})

test('reasons that cannot be read cancel like any other', async () => {
  const { clock, runtime } = setUp()
  const fail = () => {
    throw new Error('unreadable')
  }
  const reason = new Proxy({}, { get: fail, getPrototypeOf: fail, ownKeys: fail })
  const controller = new AbortController()
  const running = runtime.execute([work], { signal: controller.signal })
  await clock.advance(10)
  controller.abort(reason)
  expect(codes(await clock.runUntil(running))).toEqual(['CANCELLED'])
  const turn = runtime.conversation().turn()
  turn.cancel(reason as string)
  expect(codes(await clock.runUntil(turn.execute([work])))).toEqual(['CANCELLED'])
})
