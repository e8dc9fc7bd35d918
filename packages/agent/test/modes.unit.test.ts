import { type AgentMode, type AgentOptions, createAgent } from '@curfew/agent'
import { defineTool, type RuntimeOptions } from '@curfew/core'
import { describe, expect, test } from 'vitest'
import { endOf, resultCodes, type Script, setUp } from './support/agent-setup.ts'
import { expectBalanced } from './support/expect-balanced.ts'
import { scriptedModel } from './support/scripted-model.ts'

/** The same with tools that read, edit and deploy. */
function setUpTools(script: Script, options: Partial<AgentOptions> = {}, runtime: RuntimeOptions = {}) {
  const created = setUp(script, options, { approval: 'ask', ...runtime })
  const ran: string[] = []
  for (const name of ['write_file', 'edit_file', 'deploy', 'read_file'])
    created.runtime.register(
      defineTool({
        name,
        description: 'A tool.',
        readOnly: name === 'read_file',
        execute: () => void ran.push(name),
      }),
    )
  return { ...created, ran }
}

const all = ['read_file', 'write_file', 'edit_file', 'deploy'].map((name) => ({ name }))

test.each<[AgentMode | undefined, string[]]>([
  ['plan', ['success', 'DENIED', 'DENIED', 'DENIED']],
  ['ask', ['success', 'DENIED', 'DENIED', 'DENIED']],
  [undefined, ['success', 'DENIED', 'DENIED', 'DENIED']],
  ['accept-edits', ['success', 'success', 'success', 'DENIED']],
])('mode %s, nobody to ask', async (mode, expected) => {
  const { send, items, agent } = setUpTools([{ calls: all }, { text: 'Done.' }], { mode })
  expect(agent.getSnapshot().mode).toBe(mode ?? 'ask')
  expect(endOf(await send('Go.'))).toBe('answer')
  expect(resultCodes(items())).toEqual(expected)
  expectBalanced(items())
})

test('in plan mode nobody is asked, and the model is told which mode allows the call', async () => {
  const asked: unknown[] = []
  const { send, model } = setUpTools(
    [{ calls: [{ name: 'write_file' }] }, { text: 'My plan.' }],
    { mode: 'plan' },
    { ask: (question) => void asked.push(question), approval: { rules: { allow: ['write_file'] } } },
  )
  await send('Go.')
  expect(asked).toEqual([])
  const prompt = JSON.stringify(model.requests[1]!.prompt)
  expect(prompt).toContain('the mode plan allows only read-only tools')
  expect(prompt).toContain('switch to the mode ask or accept-edits')
})

test('`edits` are rules', async () => {
  const { send, items, ran } = setUpTools([{ calls: all }, { text: 'Done.' }], {
    mode: 'accept-edits',
    edits: ['dep*'],
  })
  await send('Go.')
  expect(resultCodes(items())).toEqual(['success', 'DENIED', 'DENIED', 'success'])
  expect(ran).toEqual(['read_file', 'deploy'])
})

test('setMode applies to the next call of a running turn', async () => {
  const { send, items, agent } = setUpTools((request) => {
    const modes: AgentMode[] = ['accept-edits', 'plan', 'accept-edits', 'ask']
    if (modes[request] !== undefined) agent.setMode(modes[request])
    return request < 4 ? { calls: [{ name: 'write_file' }] } : { text: 'Done.' }
  })
  await send('Go.')
  expect(resultCodes(items())).toEqual(['success', 'DENIED', 'success', 'DENIED'])
  expect(agent.getSnapshot().mode).toBe('ask')
})

test('a switch while a question is open: the question stays, and its answer counts', async () => {
  const { send, items, agent, runtime } = setUpTools(
    [{ calls: [{ name: 'write_file' }, { name: 'write_file' }] }, { text: 'Done.' }],
    {},
    { ask: () => 'later' },
  )
  const running = send('Go.')
  await expect.poll(() => agent.getSnapshot().streamingState).toBe('waiting')
  const [question] = runtime.getSnapshot().questions
  agent.setMode('plan')
  expect(runtime.getSnapshot().questions).toEqual([question])
  expect(runtime.answer(question!.id, 'once')).toBe(true)
  expect(endOf(await running)).toBe('answer')
  // The second one is asked about after the first has ended, in plan mode.
  expect(resultCodes(items())).toEqual(['success', 'DENIED'])
})

test('plan mode while a batch is queued: calls that have not started do not run', async () => {
  const { send, items, agent, runtime, ran } = setUpTools(
    [{ calls: [{ name: 'switch' }, { name: 'write_file' }, { name: 'read_file' }] }, { text: 'Done.' }],
    {},
    { approval: 'allow' },
  )
  runtime.register(
    defineTool({ name: 'switch', description: 'Switch.', execute: () => agent.setMode('plan') }),
  )
  await send('Go.')
  expect(resultCodes(items())).toEqual(['success', 'DENIED', 'success'])
  expect(ran).toEqual(['read_file'])
})

test('subscribers see a change of the mode', async () => {
  const { agent } = setUpTools([])
  let changes = 0
  agent.subscribe(() => changes++)
  agent.setMode('plan')
  await expect.poll(() => changes).toBe(1)
})

test('a person may run what plan mode denies to the model', async () => {
  const { agent } = setUpTools([], { mode: 'plan' }, { approval: { rules: { deny: ['deploy'] } } })
  expect((await agent.runAsPerson({ name: 'write_file', params: {} })).status).toBe('success')
  expect(await agent.runAsPerson({ name: 'deploy', params: {} })).toMatchObject({ code: 'DENIED' })
})

describe('an agent inside a tool', () => {
  /** The results of calls to all tools by an agent inside a tool of another agent. */
  async function innerResults(outer: AgentMode, inner: AgentMode | undefined) {
    const { send, runtime } = setUpTools([{ calls: [{ name: 'subagent' }] }, { text: 'Done.' }], {
      mode: outer,
    })
    let codes: string[] = []
    let mode: unknown
    runtime.register(
      defineTool({
        name: 'subagent',
        description: 'Run an agent.',
        readOnly: true,
        async execute(_params, context) {
          const model = scriptedModel([{ calls: all }, { text: 'Done.' }])
          const agent = createAgent({ model, runtime, within: context, mode: inner })
          mode = agent.getSnapshot().mode
          for await (const _event of agent.send('Go.'));
          codes = resultCodes(agent.getSnapshot().items)
          await agent.close()
        },
      }),
    )
    expect(endOf(await send('Go.'))).toBe('answer')
    return { codes, mode }
  }

  const onlyRead = ['success', 'DENIED', 'DENIED', 'DENIED']
  const edits = ['success', 'success', 'success', 'DENIED']

  test.each<[AgentMode, AgentMode | undefined, string[]]>([
    ['plan', undefined, onlyRead],
    ['plan', 'accept-edits', onlyRead],
    ['accept-edits', undefined, edits],
    ['accept-edits', 'accept-edits', edits],
    ['accept-edits', 'ask', onlyRead],
    ['accept-edits', 'plan', onlyRead],
    ['ask', 'accept-edits', onlyRead],
    ['ask', undefined, onlyRead],
  ])('outer %s, inner %s', async (outer, inner, expected) => {
    const { codes, mode } = await innerResults(outer, inner)
    expect(codes).toEqual(expected)
    expect(mode).toBe(inner ?? null)
  })
})

test.each([
  [{ mode: 'yolo' }, 'mode: expected one of plan, ask, accept-edits, got "yolo"'],
  [{ edits: ['write('] }, 'mode.allow[0]'],
  [{ edits: 'write' }, 'mode.allow'],
])('rejects %j', (options, message) => {
  expect(() => setUpTools([], options as unknown as Partial<AgentOptions>)).toThrow(message)
})

test('an unknown mode changes nothing', () => {
  const { agent } = setUpTools([], { mode: 'plan' })
  expect(() => agent.setMode('yolo' as AgentMode)).toThrow('mode')
  expect(agent.getSnapshot().mode).toBe('plan')
})
