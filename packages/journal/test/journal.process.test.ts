import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { defineTool, type Runtime, type ToolCall } from '@curfew/core'
import { systemClock } from '@curfew/core/internal'
import { beforeEach, describe, expect, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import {
  callsIn,
  newRuntime,
  newStateFolder,
  openTestJournal,
  query,
  type TestJournal,
} from './support/journal-setup.ts'

let state: string
let opened: TestJournal
let runtime: Runtime

beforeEach(async () => {
  state = newStateFolder()
  opened = await openTestJournal(state, { version: '1.2.3' })
  runtime = newRuntime()
  opened.journal.attach(runtime, { session: () => '20261118-100000-abc' })
})

async function execute(...calls: ToolCall[]): Promise<void> {
  await runtime.execute(calls)
  await opened.journal.flush()
}

const number = { type: 'object', properties: { n: { type: 'number' } } } as const

test('the file and its folder belong to this user alone', () => {
  const { path } = opened.journal
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o700)
})

test('the file has the path of its project, and this process', async () => {
  const { path, run } = opened.journal
  expect(query(path, 'SELECT * FROM properties')).toContainEqual({
    name: 'project',
    value: '/home/me/project',
  })
  expect(query(path, 'SELECT * FROM runs')).toMatchObject([
    { name: run, program: 'test', version: '1.2.3', pid: process.pid, ended_at: null, lost: 0 },
  ])
  // Written as soon as there is one.
  await until(() => String(query(path, 'SELECT socket FROM runs')[0]!.socket).includes(run))
})

test('a call that succeeds', async () => {
  runtime.register(
    defineTool({
      name: 'double',
      description: 'Double a number.',
      parameters: number,
      timeout: '5s',
      execute({ n }, { output }) {
        output('working\n')
        return { doubled: (n as number) * 2 }
      },
    }),
  )
  const before = Date.now()
  await execute({ id: 'call_1', name: 'double', params: { n: 21 } })
  const [row] = callsIn(opened.journal.path)
  expect(row).toMatchObject({
    number: 1,
    call_id: 'call_1',
    parent: null,
    session: '20261118-100000-abc',
    tool: 'double',
    adapter: 'function',
    server: null,
    args: '{"n":21}',
    status: 'success',
    lost_in: null,
    code: null,
    message: null,
    timeout_ms: 5_000,
    timeout_source: 'tool',
    requested_ms: 5_000,
    requested_source: 'tool',
    shortened_by: null,
    allowed_by: 'default',
    output_bytes: 8,
    output_tail: 'working\n',
    result_preview: '{"doubled":42}',
    result_bytes: 14,
    loaded: 0,
    background: 0,
    abandoned: 0,
    late_end: null,
  })
  expect(row!.created_at).toBeGreaterThanOrEqual(before)
  expect(row!.ended_at).toBeGreaterThanOrEqual(row!.started_at as number)
  const transitions: [string, number][] = JSON.parse(row!.transitions as string)
  expect(transitions.map(([status]) => status)).toEqual(['validating', 'scheduled', 'executing', 'success'])
  const times = transitions.map(([, afterMs]) => afterMs)
  expect(times).toEqual(times.toSorted((a, b) => a - b))
  expect(times[0]).toBe(0)
  expect(opened.journal.idOf(runtime, row!.uid as number)).toBe(`${opened.journal.run}-1`)
})

test('calls that fail, are denied, run out of time, or do not exist', async () => {
  runtime.register(
    defineTool({
      name: 'fail',
      description: 'Fail.',
      execute: () => {
        throw new Error('no such host')
      },
    }),
    defineTool({
      name: 'stuck',
      description: 'Take too long.',
      timeout: 30,
      execute: (_params, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    }),
    defineTool({ name: 'forbidden', description: 'Do nothing.', execute: () => null }),
  )
  runtime.rules.add('deny', 'forbidden')
  await execute(
    { id: '1', name: 'fail' },
    { id: '2', name: 'stuck', timeout: 10 },
    { id: '3', name: 'forbidden' },
    { id: '4', name: 'x'.repeat(10_000) },
  )
  const rows = callsIn(opened.journal.path)
  expect(
    rows.map(({ tool, status, code }) => [(tool as string).length > 20 ? 'long' : tool, status, code]),
  ).toEqual([
    ['fail', 'error', 'TOOL_FAILED'],
    ['stuck', 'error', 'TOOL_TIMEOUT'],
    ['forbidden', 'error', 'DENIED'],
    ['long', 'error', 'TOOL_NOT_FOUND'],
  ])
  expect(rows[0]!.message).toContain('no such host')
  expect(rows[1]).toMatchObject({ timeout_ms: 10, timeout_source: 'call', requested_source: 'call' })
  expect((rows[3]!.tool as string).length).toBe(201)
})

test('a running call is there, and can be found by its id until it ends', async () => {
  let release = (): void => {}
  runtime.register(
    defineTool({
      name: 'wait',
      description: 'Wait.',
      execute: () =>
        new Promise<void>((resolve) => {
          release = resolve
        }),
    }),
  )
  const { journal } = opened
  const ended = runtime.execute([{ id: '1', name: 'wait' }])
  await until(() => callsIn(journal.path)[0]?.status === 'executing')
  const id = `${journal.run}-1`
  expect(journal.find(id)).toEqual({ runtime, uid: expect.any(Number) })
  expect(journal.idOf(runtime, journal.find(id)!.uid)).toBe(id)
  for (const unknown of [`${journal.run}-2`, 'zzzz-1', '', `${journal.run}-1 `, `${journal.run}-01x`])
    expect(journal.find(unknown)).toBeUndefined()
  release()
  await ended
  await journal.flush()
  expect(journal.find(id)).toBeUndefined()
  expect(callsIn(journal.path)).toMatchObject([{ number: 1, status: 'success' }])
})

test('nested calls know their parents, and background tasks what they continue', async () => {
  runtime.register(
    defineTool({ name: 'inner', description: 'Do nothing.', execute: () => 'done' }),
    defineTool({
      name: 'outer',
      description: 'Call inner.',
      async execute(_params, context) {
        await context.execute([{ id: 'i', name: 'inner' }])
        await context.detach()
        return 'later'
      },
    }),
  )
  await execute({ id: 'o', name: 'outer' })
  await until(async () => {
    await opened.journal.flush()
    return callsIn(opened.journal.path).every(({ status }) => status === 'success')
  })
  const rows = callsIn(opened.journal.path)
  expect(
    rows.map(({ number, tool, parent, background, detached_to }) => [
      number,
      tool,
      parent,
      background,
      detached_to,
    ]),
  ).toEqual([
    [1, 'outer', null, 0, 3],
    [2, 'inner', 1, 0, null],
    [3, 'outer', expect.toSatisfy((parent) => parent === null || parent === 1), 1, null],
  ])
})

test('what shortened the timeout', async () => {
  const limited = newRuntime({ maxToolCallTimeout: '2s' })
  opened.journal.attach(limited)
  limited.register(
    defineTool({ name: 'noop', description: 'Do nothing.', timeout: '5s', execute: () => 'ok' }),
  )
  await limited.execute([{ id: '1', name: 'noop' }])
  await opened.journal.flush()
  expect(callsIn(opened.journal.path)).toMatchObject([
    {
      timeout_ms: 2_000,
      timeout_source: 'maxToolCallTimeout',
      requested_ms: 5_000,
      requested_source: 'tool',
      shortened_by: 'maxToolCallTimeout',
    },
  ])
})

test('an abandoned tool that ends after all', async () => {
  let release = (): void => {}
  const patient = newRuntime({ grace: 10 })
  opened.journal.attach(patient)
  patient.register(
    defineTool({
      name: 'deaf',
      description: 'Ignore the signal.',
      timeout: 10,
      execute: () =>
        new Promise<void>((resolve) => {
          release = resolve
        }),
    }),
  )
  await patient.execute([{ id: '1', name: 'deaf' }])
  await opened.journal.flush()
  expect(callsIn(opened.journal.path)).toMatchObject([{ abandoned: 1, late_end: null, session: null }])
  release()
  await until(async () => {
    await opened.journal.flush()
    return callsIn(opened.journal.path)[0]!.late_end !== null
  })
  expect(JSON.parse(callsIn(opened.journal.path)[0]!.late_end as string)).toEqual({
    outcome: 'returned',
    at: expect.any(Number),
  })
})

test('arguments, output, messages and results are bounded', async () => {
  runtime.register(
    defineTool({
      name: 'large',
      description: 'Return and print much.',
      parameters: { type: 'object', properties: { text: { type: 'string' } } },
      execute({ text }, { output }) {
        for (let line = 0; line < 1_000; line++) output(`${line} ${'o'.repeat(90)}\n`)
        if (text === 'fail') throw new Error('m'.repeat(100_000))
        return 'r'.repeat(50_000)
      },
    }),
  )
  await execute(
    { id: '1', name: 'large', params: { text: 't'.repeat(1_000_000) } },
    { id: '2', name: 'large', params: { text: 'fail' } },
  )
  const [row, failed] = callsIn(opened.journal.path)
  expect((row!.args as string).length).toBeLessThan(500)
  expect((row!.output_tail as string).length).toBe(1_000)
  expect(row!.output_tail).toMatch(/999 o+\n$/)
  expect(row!.output_bytes).toBe(94_890)
  expect((row!.result_preview as string).length).toBe(301)
  expect(row!.result_bytes).toBe(50_000)
  expect((failed!.message as string).length).toBe(1_001)
})

describe('several runtimes', () => {
  test('share the numbers', async () => {
    const other = newRuntime()
    opened.journal.attach(other, { session: () => null })
    for (const each of [runtime, other, runtime]) await each.execute([{ id: 'x', name: 'unknown' }])
    await opened.journal.flush()
    expect(callsIn(opened.journal.path).map(({ number, session }) => [number, session !== null])).toEqual([
      [1, true],
      [2, false],
      [3, true],
    ])
  })

  test('can be attached again, and detached', async () => {
    const detach = opened.journal.attach(runtime, { session: () => 'second' })
    await runtime.execute([{ id: 'x', name: 'unknown' }])
    detach()
    await runtime.execute([{ id: 'y', name: 'unknown' }])
    await opened.journal.flush()
    const rows = callsIn(opened.journal.path)
    expect(rows).toMatchObject([{ call_id: 'x', session: 'second' }])
    expect(JSON.parse(rows[0]!.transitions as string)).toHaveLength(2)
  })
})

test('a session function that throws does not break calls', async () => {
  opened.journal.attach(runtime, {
    session: () => {
      throw new Error('no session')
    },
  })
  await execute({ id: 'x', name: 'unknown' })
  expect(callsIn(opened.journal.path)).toMatchObject([{ session: null }])
})

test('a record with the times of a broken clock is dropped, and the others are not', async () => {
  let wallTime = Number.NaN
  const clock = { ...systemClock, wallTime: () => wallTime }
  const broken = newRuntime({ clock })
  opened.journal.attach(broken)
  await broken.execute([{ id: '1', name: 'unknown' }])
  wallTime = 1_800_000_000_000.75
  await broken.execute([{ id: '2', name: 'unknown' }])
  await opened.journal.flush()
  expect(callsIn(opened.journal.path)).toMatchObject([{ call_id: '2', created_at: 1_800_000_000_001 }])
  expect(query(opened.journal.path, 'SELECT dropped FROM runs')).toEqual([{ dropped: 1 }])
  expect(opened.warnings).toEqual([])
})

describe('close', () => {
  test('ends the run, and what is still running is lost', async () => {
    runtime.register(
      defineTool({
        name: 'wait',
        description: 'Wait.',
        execute: (_params, { signal }) => new Promise((resolve) => signal.addEventListener('abort', resolve)),
      }),
    )
    const { journal } = opened
    const ended = runtime.execute([{ id: '1', name: 'wait' }])
    await journal.flush()
    await journal.close()
    await journal.close()
    expect(callsIn(journal.path)).toMatchObject([{ status: 'lost', lost_in: 'executing', ended_at: null }])
    expect(query(journal.path, 'SELECT * FROM runs')).toMatchObject([
      { lost: 0, ended_at: expect.any(Number) },
    ])
    runtime.cancelAll()
    await ended
    await journal.flush()
    expect(opened.warnings).toEqual([])
  })

  test('a run without calls leaves no row', async () => {
    await opened.journal.close()
    expect(query(opened.journal.path, 'SELECT * FROM runs')).toEqual([])
  })

  test('calls after it are not recorded, and work', async () => {
    await opened.journal.close()
    const [result] = await runtime.execute([{ id: '1', name: 'unknown' }])
    expect(result).toMatchObject({ status: 'error', code: 'TOOL_NOT_FOUND' })
    expect(callsIn(opened.journal.path)).toEqual([])
  })
})

test('two journals of one process in one file do not give each other up', async () => {
  const second = await openTestJournal(state)
  await second.journal.flush()
  await opened.journal.flush()
  const rows = query(opened.journal.path, 'SELECT name, ended_at FROM runs ORDER BY id')
  expect(rows).toEqual([
    { name: opened.journal.run, ended_at: null },
    { name: second.journal.run, ended_at: null },
  ])
})
