import type { SessionRecord } from '@curfew/agent'
import { expect, test } from 'vitest'
import { endOf, setUp } from './support/agent-setup.ts'
import { scriptedModel } from './support/scripted-model.ts'

function setUpSession(script: Parameters<typeof setUp>[0], options: Parameters<typeof setUp>[1] = {}) {
  const models: string[] = []
  const session = {
    append: (record: SessionRecord) => void (record.type === 'model' && models.push(record.model)),
    written: async () => {},
    flush: async () => {},
  }
  return { ...setUp(script, { session, ...options }), models }
}

test('between turns, the next turn uses the new model', async () => {
  const { send, agent, model, models } = setUpSession([{ text: 'One.' }])
  const other = scriptedModel([{ text: 'Two.' }], 'other')
  await send('Go.')
  agent.setModel(other)
  expect(agent.getSnapshot().model).toBe('test:other')
  expect(models).toEqual(['test:other'])
  await send('Go.')
  expect([model.requests.length, other.requests.length]).toEqual([1, 1])
  expect(other.requests[0]!.prompt).toHaveLength(3)
})

test('during a turn, the rest of the turn uses the old model', async () => {
  const other = scriptedModel([{ text: 'Two.' }], 'other')
  const { send, agent, model, models } = setUpSession((request) => {
    agent.setModel(other)
    expect(agent.getSnapshot().model).toBe('test:scripted')
    return request === 0 ? { calls: [{ name: 'count' }] } : { text: 'One.' }
  })
  await send('Go.')
  expect(model.requests).toHaveLength(2)
  expect(agent.getSnapshot().model).toBe('test:other')
  expect(models).toEqual(['test:other'])
  await send('Go.')
  expect(other.requests).toHaveLength(1)
})

test('reasoning of the old model is not sent to the new one', async () => {
  const { send, agent } = setUpSession([{ reasoning: 'Hm.', text: 'One.' }])
  const other = scriptedModel([{ text: 'Two.' }], 'other')
  await send('Go.')
  agent.setModel(other)
  await send('Go.')
  expect(JSON.stringify(other.requests[0]!.prompt)).toContain('One.')
  expect(JSON.stringify(other.requests[0]!.prompt)).not.toContain('Hm.')
})

test('the same model is not recorded, and the last one of several counts', async () => {
  const { agent, model, models } = setUpSession([])
  agent.setModel(model)
  expect(models).toEqual([])
  agent.setModel(scriptedModel([], 'b'))
  agent.setModel(scriptedModel([], 'c'))
  expect(models).toEqual(['test:b', 'test:c'])
})

test('a model that was set takes precedence over the fallback after an exhausted quota', async () => {
  const quota = Object.assign(new Error('insufficient_quota'), {
    statusCode: 429,
    data: { error: { code: 'insufficient_quota' } },
  })
  const fallback = scriptedModel([{ text: 'Fallback.' }], 'fallback')
  const other = scriptedModel([{ text: 'Other.' }], 'other')
  const { send, agent, models } = setUpSession(
    () => {
      agent.setModel(other)
      return { error: quota }
    },
    { fallback },
  )
  expect(endOf(await send('Go.'))).toBe('model-switched')
  expect(agent.getSnapshot().model).toBe('test:other')
  expect(models).toEqual(['test:other'])
  await send('Go.')
  expect([fallback.requests.length, other.requests.length]).toEqual([0, 1])
})
