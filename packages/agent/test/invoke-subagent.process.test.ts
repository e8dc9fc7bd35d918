import { type Answer, defineTool, type Question } from '@curfew/core'
import { describe, expect, test } from 'vitest'
import { endOf, resultCodes } from './support/agent-setup.ts'
import { setUpDelegation, success } from './support/delegation-setup.ts'

const task = { task: 'Find it.' }
const agentFile = {
  name: 'reviewer',
  description: 'Review code.',
  instructions: 'You review code.',
  tools: null,
  model: null,
  mode: null,
  timeoutMs: null,
  source: 'user',
} as const

describe('a subagent', () => {
  test('returns its final answer and what it did', async () => {
    const { execute, model } = setUpDelegation([
      { text: 'Let me look.', calls: [{ name: 'look' }, { name: 'missing' }] },
      { text: 'It is there.' },
    ])
    const result = success(await execute('invoke_subagent', { ...task, instructions: 'Be brief.' }))
    expect(result.value).toMatchObject({ answer: 'It is there.', ended: 'answer', agent: 'general' })
    expect(result.content).toMatch(/^It is there\.\n\n\[general: look, missing \(1 failed\), [\d.]+ m?s\]$/)
    expect(result.output).toContain('Let me look.')
    expect(result.output).toContain('› look')
    expect(JSON.stringify(model.requests[0]!.prompt)).toContain('Be brief.')
  })

  test('described by a file has its instructions, model and tools', async () => {
    const opened: string[] = []
    const agents = [{ ...agentFile, tools: ['look'], model: 'test:other' }]
    const { execute, model } = setUpDelegation([{ text: 'ok' }], {
      agents,
      openModel: async (name) => {
        opened.push(name)
        return model
      },
    })
    success(await execute('invoke_subagent', { ...task, agent: 'reviewer' }))
    expect(opened).toEqual(['test:other'])
    expect(JSON.stringify(model.requests[0]!.prompt)).toContain('You review code.')
    expect(model.requests[0]!.tools?.map(({ name }) => name)).toEqual(['look'])
    expect(await execute('invoke_subagent', { ...task, agent: 'unknown' })).toMatchObject({
      code: 'INVALID_PARAMS',
    })
  })

  test('cannot get more tools by starting another one', async () => {
    const { execute, model, count } = setUpDelegation((request) =>
      request === 0
        ? { calls: [{ name: 'invoke_subagent', input: { task: 'Count.', tools: ['*'] } }] }
        : request === 1
          ? { calls: [{ name: 'count' }] }
          : { text: 'done' },
    )
    success(await execute('invoke_subagent', { ...task, tools: ['look', 'invoke_subagent'] }))
    expect(model.requests[1]!.tools?.map(({ name }) => name)).toEqual(['invoke_subagent', 'look'])
    expect(count()).toBe(0)
  })

  test('that ends because of a model failure gives what it has, or an error if it did nothing', async () => {
    const partial = setUpDelegation([{ calls: [{ name: 'count' }] }, { error: new Error('no more') }])
    expect(success(await partial.execute('invoke_subagent', task)).value).toMatchObject({
      ended: 'model-failure',
      calls: [{ tool: 'count', count: 1, failed: 0 }],
    })
    const nothing = setUpDelegation([{ error: new Error('no more') }])
    expect(await nothing.execute('invoke_subagent', task)).toMatchObject({ code: 'TOOL_FAILED' })
  })

  test('that reaches a limit says so', async () => {
    const { execute } = setUpDelegation(
      (request) => (request < 3 ? { calls: [{ name: 'count' }] } : { text: 'Three counted.' }),
      { limits: { continuations: 3 } },
    )
    const { content } = success(await execute('invoke_subagent', task))
    expect(content).toContain('Three counted.')
    expect(content).toContain('it ended early (limit: the model continued 3 times')
  })
})

describe.concurrent('the deadline of a subagent leaves its parent time to answer', () => {
  const limits = { timeouts: { subagent: 1_500 } }

  test('its calls end before, and its model gives a final answer without tools', async () => {
    const { execute, model } = setUpDelegation(
      [{ calls: [{ name: 'hang' }] }, { text: 'So far.' }],
      {},
      limits,
    )
    const result = success(await execute('invoke_subagent', task))
    expect(result.value).toMatchObject({ answer: 'So far.', ended: 'limit' })
    expect(result.durationMs).toBeLessThan(1_500)
    expect(model.requests[1]!.toolChoice).toEqual({ type: 'none' })
  })

  test('a model that stalls: what it wrote is the result', async () => {
    const { execute } = setUpDelegation([{ text: 'I have found', stall: true }], {}, limits)
    const result = success(await execute('invoke_subagent', task))
    expect(result.value).toMatchObject({ answer: 'I have found', ended: 'limit' })
  })

  test('a model that says nothing: an error, but not a timeout of the call', async () => {
    const { execute } = setUpDelegation([{ stall: true }], {}, limits)
    const result = await execute('invoke_subagent', task)
    expect(result).toMatchObject({ code: 'TOOL_FAILED', message: expect.stringContaining('time') })
  })

  test('a subagent inside another one winds down first', async () => {
    const { execute, runtime } = setUpDelegation(
      (request) =>
        [
          { calls: [{ name: 'invoke_subagent', input: task }] },
          { calls: [{ name: 'hang' }] },
          { text: 'inner' },
        ][request] ?? { text: 'outer' },
      {},
      limits,
    )
    const result = success(await execute('invoke_subagent', task))
    expect(result.value).toMatchObject({ answer: 'outer' })
    const inner = runtime
      .getSnapshot()
      .calls.find(({ name, parentUid }) => name === 'invoke_subagent' && parentUid !== null)
    expect(inner).toMatchObject({ status: 'success', timeoutSource: 'parent' })
  })

  test('its file sets the timeout; MAX_SUBAGENT_TIMEOUT_MIN caps every source', async () => {
    const agents = [{ ...agentFile, timeoutMs: 60_000 }]
    const script = () => ({ calls: [{ name: 'hang' }] })
    const file = setUpDelegation(script, { agents: [{ ...agentFile, timeoutMs: 700 }] })
    expect(await file.execute('invoke_subagent', { ...task, agent: 'reviewer' })).toMatchObject({
      timeoutMs: 700,
      value: { ended: 'limit' },
    })
    const capped = setUpDelegation(script, { agents, maxSubagentMs: 700 })
    expect(await capped.execute('invoke_subagent', { ...task, agent: 'reviewer' })).toMatchObject({
      timeoutMs: 700,
      timeoutSource: 'maxSubagentTimeout',
    })
    const tools = { tools: { invoke_subagent: { timeout: 60_000 } } }
    const configured = setUpDelegation(script, { agents, maxSubagentMs: 700 }, tools)
    const result = success(await configured.execute('invoke_subagent', task))
    expect(result).toMatchObject({ timeoutMs: 700, timeoutSource: 'maxSubagentTimeout' })
    expect(result.value).toMatchObject({ ended: 'limit' })
    expect(configured.runtime.timeoutOf('invoke_subagent')).toEqual({
      timeoutMs: 700,
      source: 'maxSubagentTimeout',
      setting: undefined,
      requested: { timeoutMs: 60_000, source: 'tools', setting: 'tools.invoke_subagent.timeout' },
    })
  })
})

test('subagents that start each other end at the depth limit', async () => {
  let requests = 0
  const { execute, runtime } = setUpDelegation(
    () => (++requests > 40 ? { text: 'tired' } : { calls: [{ name: 'invoke_subagent', input: task }] }),
    { limits: { continuations: 1 } },
    { limits: { depth: 3 } },
  )
  success(await execute('invoke_subagent', task))
  const depths = runtime.getSnapshot().calls.map((row) => {
    let depth = 0
    for (let at = row.parentUid; at !== null; at = runtime.getCall(at)!.parentUid) depth++
    return { depth, code: row.code }
  })
  expect(Math.max(...depths.map(({ depth }) => depth))).toBe(4)
  expect(depths.filter(({ depth }) => depth === 4).map(({ code }) => code)).toContain('LIMIT_EXCEEDED')
  expect(depths.filter(({ depth }) => depth < 4).every(({ code }) => code === null)).toBe(true)
})

test('three run at once', async () => {
  let running = 0
  let most = 0
  const parts = setUpDelegation(() => ({ text: 'done' }), {
    model: () => {
      const { model } = parts
      return {
        ...model,
        doStream: async (options) => {
          most = Math.max(most, ++running)
          await new Promise((resolve) => setTimeout(resolve, 50))
          running--
          return await model.doStream(options)
        },
      }
    },
  })
  const calls = Array.from({ length: 7 }, (_, index) => ({
    id: `${index}`,
    name: 'invoke_subagent',
    params: task,
  }))
  const results = await parts.runtime.execute(calls)
  expect(results.every(({ status }) => status === 'success')).toBe(true)
  expect(most).toBe(3)
})

describe('approval', () => {
  const person = (...answers: Answer[]) => {
    const asked: string[] = []
    const ask = (question: Question): Answer => {
      asked.push(question.kind === 'approval' ? question.tool : question.kind)
      return answers.shift()
    }
    return { ask, asked }
  }
  const script = [{ calls: [{ name: 'count' }] }, { calls: [{ name: 'count' }] }, { text: 'counted' }]

  test('starting one needs none, its calls do; "for this turn" asks once for parent and subagents', async () => {
    const { ask, asked } = person({ answer: 'turn', rule: 'count' })
    const { runTurn, count } = setUpDelegation(script, {}, { approval: 'ask', ask })
    await runTurn([{ name: 'count' }, { name: 'invoke_subagent', input: task }])
    expect(asked).toEqual(['count'])
    expect(count()).toBe(3)
  })

  test('"stop everything" inside a subagent ends the whole turn', async () => {
    const { ask } = person('stop')
    const { runTurn, count } = setUpDelegation(script, {}, { approval: 'ask', ask })
    const { agent, events, parent } = await runTurn([
      { name: 'invoke_subagent', input: task },
      { name: 'hang' },
    ])
    expect(endOf(events)).toBe('cancelled')
    expect(resultCodes(agent.getSnapshot().items)).toEqual(['CANCELLED', 'CANCELLED'])
    expect([count(), parent.requests.length]).toEqual([0, 1])
  })

  test('cancelling the turn reaches its calls', async () => {
    const { runTurn, runtime } = setUpDelegation([{ calls: [{ name: 'hang' }] }])
    runtime.onTransition(({ to, name }) => {
      if (to === 'executing' && name === 'hang') queueMicrotask(() => runtime.cancelAll('by the person'))
    })
    const { events } = await runTurn([{ name: 'invoke_subagent', input: task }])
    expect(endOf(events)).toBe('cancelled')
    expect(runtime.getSnapshot().calls.map(({ status }) => status)).toEqual(['cancelled', 'cancelled'])
  })

  test('in plan mode it does not run, and a subagent with the mode plan changes nothing', async () => {
    const planned = setUpDelegation(script)
    const { agent } = await planned.runTurn([{ name: 'invoke_subagent', input: task }], { mode: 'plan' })
    expect(resultCodes(agent.getSnapshot().items)).toEqual(['DENIED'])
    const agents = [{ ...agentFile, mode: 'plan' as const }]
    const { execute, count } = setUpDelegation(script, { agents })
    success(await execute('invoke_subagent', { ...task, agent: 'reviewer' }))
    expect(count()).toBe(0)
  })
})

test('what it uses counts in the budget of the turn', async () => {
  const { runTurn, model } = setUpDelegation(() => ({ calls: [{ name: 'count' }] }))
  const { agent, events } = await runTurn([{ name: 'invoke_subagent', input: task }], {
    budget: { turn: { tokens: 1_000 } },
  })
  expect(endOf(events)).toBe('budget')
  // 150 tokens per request; one more for the final answer of each.
  expect(model.requests.length).toBeLessThan(9)
  expect(agent.usage().requests).toBe(model.requests.length + 2)
})

test('its activity counts for the idle limit of the call', async () => {
  const { execute, runtime } = setUpDelegation(
    (request) => (request < 4 ? { calls: [{ name: 'wait' }] } : { text: 'done' }),
    {},
    { tools: { invoke_subagent: { idleTimeout: 400 } } },
  )
  runtime.register(
    defineTool({
      name: 'wait',
      description: 'Wait.',
      polling: true,
      execute: () => new Promise((resolve) => setTimeout(resolve, 150)),
    }),
  )
  expect(await execute('invoke_subagent', task)).toMatchObject({ status: 'success' })
})
