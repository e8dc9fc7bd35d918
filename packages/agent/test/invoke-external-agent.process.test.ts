import { fileURLToPath } from 'node:url'
import { externalAgents } from '@curfew/agent/tools'
import { describe, expect, test } from 'vitest'
import { left, linux, newTag, untilNoneLeft } from '../../../test/support/processes.ts'
import { setUpDelegation, success } from './support/delegation-setup.ts'

const program = fileURLToPath(new URL('./fixtures/external-agent.js', import.meta.url))

/** An agent that behaves in one of the ways of the fixture program. */
function setUp(
  behaviour: string,
  format: 'text' | 'claude' = 'text',
  timeoutMs = 20_000,
  more: string[] = [],
) {
  const tag = newTag()
  const command = [process.execPath, program, behaviour, tag, ...more]
  const agents = externalAgents({ fixture: { command, format } })
  const options = { externalAgents: agents }
  const parts = setUpDelegation([], options, { timeouts: { 'external-agent': timeoutMs } })
  const run = (task = 'Do it.', access = 'read') =>
    parts.execute('invoke_external_agent', { agent: 'fixture', task, access })
  return { ...parts, run, tag }
}

describe('an external agent', () => {
  test('returns its answer; what it does is live output', async () => {
    const { run } = setUp('claude', 'claude')
    const result = success(await run('Find it.'))
    expect(result.value).toMatchObject({ answer: 'task: Find it.', ended: 'answer', tools: 1 })
    expect(result.output).toContain('Looking.')
    expect(result.output).toContain('› Read')
  })

  test('gets the task as input, its depth and its remaining time, and runs in the workspace', async () => {
    const { run } = setUp('echo')
    const read = JSON.parse((success(await run('--help\n-rf')).value as { answer: string }).answer)
    expect(read).toMatchObject({
      rest: [],
      input: '--help\n-rf',
      depth: '1',
      cwd: expect.stringMatching(/support$/),
    })
    expect(Number(read.deadline)).toBeGreaterThan(10_000)
    expect(Number(read.deadline)).toBeLessThan(20_000)
  })

  test('belongs to the trace of its call, not to that of the process around it', async () => {
    const { run, runtime } = setUp('echo')
    const traceOf = async () =>
      JSON.parse((success(await run()).value as { answer: string }).answer).trace as unknown
    process.env.TRACESTATE = 'of the process'
    try {
      const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
      runtime.use((call, next) => {
        call.setTraceContext({ traceparent })
        return next()
      })
      expect(await traceOf()).toEqual([traceparent, ''])
    } finally {
      delete process.env.TRACESTATE
    }
  })

  test('a task in an argument can never be an option', async () => {
    const { run } = setUp('echo', 'text', 20_000, ['--prompt={task}', '{task}'])
    const read = JSON.parse((success(await run('--yolo $& $1')).value as { answer: string }).answer)
    expect(read).toMatchObject({ rest: ['--prompt=\n--yolo $& $1', '\n--yolo $& $1'], input: '' })
  })

  test('is never read-only: without approval, it does not run', async () => {
    const agents = externalAgents({ fixture: { command: [process.execPath, program, 'nothing'] } })
    const { execute } = setUpDelegation([], { externalAgents: agents }, { approval: 'ask' })
    expect(await execute('invoke_external_agent', { agent: 'fixture', task: 'Do it.' })).toMatchObject({
      code: 'DENIED',
    })
  })

  test('that is not installed is an error with what to do', async () => {
    const agents = externalAgents({
      claude: { command: ['/nonexistent/claude'] },
      mine: { command: ['/nonexistent/mine'] },
    })
    const { execute } = setUpDelegation([], { externalAgents: agents })
    const run = (agent: string) => execute('invoke_external_agent', { agent, task: 'Do it.' })
    expect(await run('claude')).toMatchObject({
      code: 'TOOL_FAILED',
      message:
        'claude did not run: the program "/nonexistent/claude" is not installed; the person can install it (npm install -g @anthropic-ai/claude-code), or set externalAgents.claude.command in their config.json',
    })
    expect(await run('mine')).toMatchObject({
      message: expect.stringContaining('the person can correct externalAgents.mine.command'),
    })
  })

  test.each([
    ['fail', 'text', 'TOOL_FAILED', 'exited with code 3: out of tokens'],
    ['claude-error', 'claude', 'TOOL_FAILED', 'fixture failed: no credit left'],
    ['nothing', 'text', 'INVALID_RESULT', 'fixture exited without an answer'],
  ] as const)('%s is an error', async (behaviour, format, code, message) => {
    const { run } = setUp(behaviour, format)
    expect(await run()).toMatchObject({ code, message: expect.stringContaining(message) })
  })
})

describe.concurrent('a program that misbehaves ends in time, and leaves nothing behind', () => {
  test.runIf(linux)('hangs after it has begun: what it wrote is the result', async () => {
    const { run, tag } = setUp('hang', 'text', 5_000)
    const result = success(await run())
    expect(result.value).toMatchObject({ answer: 'I have begun', ended: 'limit' })
    expect(result.content).toContain('incomplete')
    expect(left(tag)).toEqual([])
  })

  test.runIf(linux)('says nothing', async () => {
    const { run, tag } = setUp('silent', 'text', 2_000)
    expect(await run()).toMatchObject({ code: 'TOOL_TIMEOUT' })
    expect(left(tag)).toEqual([])
  })

  test('asks: it has no terminal, and its input ends', async () => {
    const { run } = setUp('ask', 'text')
    expect(success(await run('12345')).value).toMatchObject({ answer: 'no terminal, input 5' })
  })

  test.runIf(linux)('leaves daemons', async () => {
    const { run, tag } = setUp('daemon')
    expect(success(await run()).value).toMatchObject({ answer: 'done' })
    expect(left(tag)).toEqual([])
  })

  test.runIf(linux)('ignores SIGTERM', async () => {
    const { run, tag } = setUp('stubborn', 'text', 2_000)
    const result = await run()
    expect(result).toMatchObject({ code: 'TOOL_TIMEOUT' })
    expect(result.durationMs).toBeLessThan(10_000)
    expect(left(tag)).toEqual([])
  })

  test.runIf(linux)('is cancelled', async () => {
    const { run, runtime, tag } = setUp('stubborn')
    const stop = runtime.onTransition(({ to }) => {
      if (to === 'executing') setTimeout(() => runtime.cancelAll('by the person'), 500)
    })
    expect(await run()).toMatchObject({ code: 'CANCELLED' })
    stop()
    await untilNoneLeft(tag)
  })

  test.each(['text', 'claude'] as const)('prints garbage (%s)', async (format) => {
    const { run } = setUp('garbage', format)
    const { answer } = success(await run()).value as { answer: string }
    expect(answer).toContain('the rest is text')
  })
})

test.runIf(linux).each([
  ['text', 'flood'],
  ['claude', 'json-flood'],
] as const)('a program that floods its output (%s) ends in time', async (format, behaviour) => {
  const { run, tag } = setUp(behaviour, format, 3_000)
  const result = await run()
  // On a busy machine, there may be no time left to return what it wrote.
  expect(result.status === 'success' || result.code === 'TOOL_TIMEOUT').toBe(true)
  expect(result.durationMs).toBeLessThan(10_000)
  expect(result.content.length).toBeLessThan(70_000)
  await untilNoneLeft(tag)
})
