import { defineTool } from '@curfew/core'
import { describe, expect, test } from 'vitest'
import { codes, person } from './support/approval-setup.ts'
import { call, setUp } from './support/conversation-setup.ts'

describe('a call that a person typed', () => {
  test('needs no approval, no stub and no limits, but deny rules apply', async () => {
    const { clock, runtime, wiped } = setUp({
      view: 'stub',
      approval: { default: 'deny', rules: { ask: ['write'], deny: ['hang'] } },
      limits: { callsPerTurn: 1 },
    })
    const turn = runtime.conversation().turn({ origin: 'person' })
    for (let count = 0; count < 10; count++) {
      const results = await clock.runUntil(turn.execute([call('write'), call('wipe'), call('hang')]))
      expect(codes(results)).toEqual(['success', 'success', 'DENIED'])
    }
    expect(wiped).toHaveLength(10)
    expect(turn.status()).toMatchObject({ calls: 0, loop: 'none' })
  })

  test('may use a tool that the model may not call', async () => {
    const { clock, runtime } = setUp({ approval: 'allow' })
    const conversation = runtime.conversation({ tools: ['read'] })
    expect(codes(await clock.runUntil(conversation.execute([call('write')])))).toEqual(['TOOL_NOT_FOUND'])
    const typed = conversation.turn({ origin: 'person' })
    expect(codes(await clock.runUntil(typed.execute([call('write')])))).toEqual(['success'])
  })

  test("is its own root turn: neither its grants nor its end affect the model's turn", async () => {
    const ask = person('turn', 'no')
    const { clock, runtime } = setUp({ ask })
    runtime.register(
      defineTool({
        name: 'delegate',
        description: 'Delegate.',
        execute: async (_params, context) => codes(await context.execute([call('write'), call('write')])),
      }),
    )
    const conversation = runtime.conversation()
    const [model, typed] = [conversation.turn(), conversation.turn({ origin: 'person' })]
    const [result] = await clock.runUntil(typed.execute([call('delegate')]))
    expect(result).toMatchObject({ value: ['success', 'success'] })
    typed.cancel()
    expect(codes(await clock.runUntil(model.execute([call('write')])))).toEqual(['DENIED'])
    expect(ask.asked).toHaveLength(2)
  })

  test('models beneath it are gated as usual', async () => {
    const { clock, runtime } = setUp()
    runtime.register(
      defineTool({
        name: 'delegate',
        description: 'Delegate.',
        execute: async (_params, context) => [
          ...codes(await context.execute([call('write')])),
          ...codes(await context.conversation().execute([call('write')])),
        ],
      }),
    )
    const turn = runtime.conversation().turn({ origin: 'person' })
    const [result] = await clock.runUntil(turn.execute([call('delegate')]))
    expect(result).toMatchObject({ value: ['DENIED', 'DENIED'] })
  })
})
