import { defineTool, type RuntimeOptions, type Turn } from '@curfew/core'
import { describe, expect, test } from 'vitest'
import { codes, person } from './support/approval-setup.ts'
import { call, setUp } from './support/conversation-setup.ts'

describe('a budget', () => {
  test.each<[string, RuntimeOptions, string]>([
    ['limits.callsPerTurn', { limits: { callsPerTurn: 3 } }, 'LIMIT_EXCEEDED'],
    ['breaker.maxCallsPerWindow', { breaker: { maxCallsPerWindow: 3 } }, 'CIRCUIT_OPEN'],
  ])('counts the calls of other conversations towards %s', async (_, options, code) => {
    const { clock, runtime } = setUp({ approval: 'allow', ...options })
    const budget = runtime.conversation().turn()
    const run = () =>
      clock.runUntil(
        runtime
          .conversation()
          .turn({ budget })
          .execute([call('write')]),
      )
    for (let i = 0; i < 3; i++) expect(codes(await run())).toEqual(['success'])
    expect(codes(await run())).toEqual([code])
    expect(codes(await clock.runUntil(runtime.conversation().execute([call('write')])))).toEqual(['success'])
  })

  test('shares neither approvals nor a stop', async () => {
    const { clock, runtime } = setUp()
    const answers = person('turn', 'stop', 'once')
    runtime.onQuestion(answers)
    const budget = runtime.conversation().turn()
    const run = (turn: Turn) => clock.runUntil(turn.execute([call('write')]))
    const [first, second] = [1, 2].map(() => runtime.conversation().turn({ budget }))
    expect(codes(await run(first!))).toEqual(['success'])
    expect(codes(await run(second!))).toEqual(['CANCELLED'])
    expect(codes(await run(budget))).toEqual(['success'])
    expect(answers.asked).toHaveLength(3)
    expect(codes(await run(first!))).toEqual(['success'])
  })

  test('cannot be added to a turn inside a call', async () => {
    const { clock, runtime } = setUp()
    const budget = runtime.conversation().turn()
    runtime.register(
      defineTool({
        name: 'agent',
        description: 'Run calls of its own.',
        readOnly: true,
        execute: (_, { conversation }) => conversation().turn({ budget }).id,
      }),
    )
    const [result] = await clock.runUntil(runtime.execute([{ id: '1', name: 'agent' }]))
    expect(result).toMatchObject({
      status: 'error',
      message: expect.stringContaining('budget: expected none inside a call'),
    })
  })

  test.each([null, {}, 'turn'])('rejects %o', (budget) => {
    const { runtime } = setUp()
    const conversation = runtime.conversation()
    expect(() => conversation.turn({ budget: budget as never })).toThrow('budget: expected a turn')
  })
})
