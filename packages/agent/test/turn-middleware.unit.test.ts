import type { TurnMiddleware } from '@curfew/agent'
import { expect, test } from 'vitest'
import { collect } from './support/agent-setup.ts'
import { setUpDelegation } from './support/delegation-setup.ts'

test('middleware wraps the turns of an agent and of the agents inside it', async () => {
  const seen: unknown[] = []
  const turnMiddleware: TurnMiddleware = async (turn, next) => {
    const { agent, conversation, parentUid, model } = turn
    seen.push([agent, conversation, parentUid, model.modelId])
    const end = await next()
    seen.push([agent, end.reason, turn.usage().requests])
    return end
  }
  const { runTurn } = setUpDelegation([{ text: 'found' }], { turnMiddleware })
  const calls = [{ name: 'invoke_subagent', input: { task: 'Look.' } }]
  const { events } = await runTurn(calls, { name: 'helper', turnMiddleware })
  expect(events.at(-1)).toMatchObject({ type: 'end', reason: 'answer' })
  expect(seen).toEqual([
    ['helper', 'c1', null, 'parent'],
    ['general', 'c2', 1, 'scripted'],
    ['general', 'answer', 1],
    // Its usage includes that of the agent inside it.
    ['helper', 'answer', 3],
  ])
})

test('its calls have the id of the turn', async () => {
  const ids: string[] = []
  const { runTurn, runtime } = setUpDelegation([])
  runtime.onTransition(({ name, to, call }) => {
    if (name === 'look' && to === 'success') ids.push(call.turn!)
  })
  await runTurn([{ name: 'look' }], {
    turnMiddleware: async ({ turn }, next) => {
      ids.push(turn)
      return await next()
    },
  })
  expect(ids).toHaveLength(2)
  expect(ids[0]).toBe(ids[1])
})

test('a turn without a name, and one that fails', async () => {
  const ends: unknown[] = []
  const { runTurn } = setUpDelegation([])
  const { agent } = await runTurn([{ name: 'look' }], {
    turnMiddleware: async (turn, next) => {
      const end = await next()
      ends.push([turn.agent, end.reason, end.failure?.kind])
      return end
    },
  })
  // The scripted model has no more responses.
  await collect(agent.send('again'))
  expect(ends).toEqual([
    [null, 'answer', undefined],
    [null, 'model-failure', expect.any(String)],
  ])
})
