import { type Conversation, defineTool, type Runtime, type RuntimeOptions, type ToolCall } from '@curfew/core'
import { describe, expect, test } from 'vitest'
import { codes, person } from './support/approval-setup.ts'
import { call, setUp } from './support/conversation-setup.ts'

describe('a subagent', () => {
  /** A tool that runs these calls as a model of its own would, in one turn. */
  function withSubagent(options: RuntimeOptions, calls: ToolCall[], batches = 1) {
    const parts = setUp(options)
    const statuses: unknown[] = []
    parts.runtime.register(
      defineTool({
        name: 'subagent',
        description: 'Run a subagent.',
        timeout: '10m',
        async execute(_params, context) {
          const turn = context.conversation().turn()
          const results = []
          for (let batch = 0; batch < batches; batch++) results.push(...(await turn.execute(calls)))
          statuses.push(turn.status())
          return codes(results)
        },
      }),
    )
    return { ...parts, statuses }
  }

  test('"stop everything" inside a subagent ends the whole turn, not the next one', async () => {
    const ask = person('once', 'stop', 'once')
    const { clock, runtime } = withSubagent({ ask }, [call('write')])
    const conversation = runtime.conversation()
    const turn = conversation.turn()
    const results = await clock.runUntil(turn.execute([call('subagent'), call('hang')]))
    expect(codes(results)).toEqual(['CANCELLED', 'CANCELLED'])
    expect(turn.status()).toMatchObject({ stopped: true, windDown: true })
    expect(codes(await turn.execute([call('read')]))).toEqual(['CANCELLED'])
    expect(codes(await clock.runUntil(conversation.turn().execute([call('write')])))).toEqual(['success'])
  })

  test('"yes for this turn" asks once for parent and subagents', async () => {
    const ask = person({ answer: 'turn', rule: '*' }, 'no')
    const { clock, runtime } = withSubagent({ ask }, [call('write'), call('write', {}, 'again')])
    const turn = runtime.conversation().turn()
    const results = await clock.runUntil(turn.execute([call('write'), call('subagent')]))
    expect(results).toMatchObject([{ status: 'success' }, { value: ['success', 'success'] }])
    expect(ask.asked).toHaveLength(1)
  })

  test('its calls count in its own turn and in those above it', async () => {
    const { clock, runtime, statuses } = withSubagent({ approval: 'allow', limits: { callsPerTurn: 4 } }, [
      call('read'),
      call('read', {}, 'again'),
    ])
    const turn = runtime.conversation().turn()
    const results = await clock.runUntil(turn.execute([call('subagent'), call('read')]))
    expect(results[0]).toMatchObject({ value: ['success', 'success'] })
    expect(statuses).toMatchObject([{ calls: 2, callsLeft: 0 }])
    expect(turn.status()).toMatchObject({ calls: 4, callsLeft: 0, windDown: true })
    expect(codes(await turn.execute([call('subagent')]))).toEqual(['LIMIT_EXCEEDED'])
  })

  test('has its own loop history; those above see only the call that started it', async () => {
    const { clock, runtime, statuses } = withSubagent({ approval: 'allow' }, [call('read')], 6)
    const turn = runtime.conversation().turn()
    const [result] = await clock.runUntil(turn.execute([call('subagent')]))
    expect(result).toMatchObject({ value: [...Array(5).fill('success'), 'LOOP_DETECTED'] })
    expect(statuses).toMatchObject([{ loop: 'stopped', windDown: true }])
    expect(turn.status()).toMatchObject({ loop: 'none', windDown: false })
  })

  test('its conversation ends with the call', async () => {
    const { clock, runtime } = setUp({ approval: 'allow' })
    let escaped: ReturnType<typeof runtime.conversation> | undefined
    runtime.register(
      defineTool({
        name: 'leak',
        description: 'Keep the conversation.',
        execute: (_params, context) => {
          escaped = context.conversation()
        },
      }),
    )
    await runtime.execute([call('leak')])
    await expect(escaped!.execute([call('read')])).rejects.toMatchObject({ code: 'CONVERSATION_CLOSED' })
    expect(clock.pending).toBe(0)
  })

  test.each<[string, (runtime: Runtime, conversation: Conversation) => unknown]>([
    ['cancelled', (runtime) => runtime.cancel('stubborn')],
    ['ended by its deadline', () => {}],
    ['ended by its conversation', (_runtime, conversation) => conversation.close()],
  ])('starts nothing once its call is %s, although the tool ignores its signal', async (_how, stop) => {
    const { clock, runtime } = setUp({ approval: 'allow', ask: () => ({ text: 'go on' }) })
    const outcomes: unknown[] = []
    runtime.register(
      defineTool({
        name: 'stubborn',
        description: 'Ignore the signal.',
        timeout: 100,
        async execute(_params, context) {
          const inner = context.conversation()
          const turn = inner.turn()
          const step = turn.step()
          await new Promise((resolve) => context.signal.addEventListener('abort', resolve))
          const results = [
            ...(await inner.execute([call('write')])),
            ...(await turn.execute([call('write')])),
            await turn.run(call('write')),
            await step.reserve(call('write')).run(),
            ...(await runtime.execute([call('write')], { parent: context.uid })),
          ]
          outcomes.push(...codes(results))
          await inner.ask({ message: 'Go on?' }).catch((error) => outcomes.push(error.code))
        },
      }),
    )
    const conversation = runtime.conversation()
    const batch = conversation.execute([call('stubborn')])
    const stopped = clock.advance(50).then(() => stop(runtime, conversation))
    await clock.runUntil(Promise.all([batch, stopped]))
    expect(outcomes).toEqual(Array.from({ length: 6 }, () => 'CANCELLED'))
  })

  test('cannot escape its rules with a turn of the default conversation', async () => {
    const { clock, runtime, wiped } = setUp({ approval: 'allow' })
    runtime.register(
      defineTool({
        name: 'escape',
        description: 'Use another turn.',
        execute: (_params, { uid }) => runtime.execute([call('wipe')], { parent: uid, turn: 'other' }),
      }),
    )
    const conversation = runtime.conversation({ approval: { rules: { deny: ['wipe'] } } })
    const results = await clock.runUntil(conversation.execute([call('escape')]))
    expect(results).toMatchObject([{ code: 'INVALID_OPTION', message: expect.stringContaining('turn: ') }])
    expect(wiped).toEqual([])
  })

  test('a handler sees the questions of its own conversation and of the subagents in it, not those of others', async () => {
    const { clock, runtime } = withSubagent({}, [call('write')])
    const [mine, others] = [person('once', 'once'), person('no')]
    const conversation = runtime.conversation({ ask: mine, client: 'editor' })
    runtime.conversation({ ask: others })
    const results = await clock.runUntil(conversation.execute([call('subagent')]))
    expect(results).toMatchObject([{ value: ['success'] }])
    expect(mine.asked.map(({ tool, client }) => [tool, client])).toEqual([
      ['subagent', 'editor'],
      ['write', 'editor'],
    ])
    expect(others.asked).toEqual([])
  })
})
