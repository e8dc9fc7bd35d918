import { existsSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { cancelById } from '../src/control/cancel-by-id.ts'
import { listProcesses } from '../src/control/list-processes.ts'
import { journalPath } from '../src/store/journal-path.ts'
import { folder } from './support/control-setup.ts'
import { startRecording } from './support/recording-process.ts'

const state = (): string => join(folder, 'state')
const timeoutMs = 60_000

const list = (project: string | null) => listProcesses({ stateFolder: state(), project, timeoutMs })
const cancel = (id: string, project = '/a') =>
  cancelById({ stateFolder: state(), project, id, waitMs: timeoutMs })

/** The ids of the running calls, by their processes. */
async function ids(project: string | null): Promise<Record<string, string[]>> {
  const processes = await list(project)
  return Object.fromEntries(processes.map(({ run, calls }) => [run, calls.map(({ id }) => id)]))
}

function change(project: string, sql: string, ...parameters: (string | number)[]): void {
  const database = new DatabaseSync(journalPath(state(), project))
  database.prepare(sql).run(...parameters)
  database.close()
}

describe('what is running', () => {
  test('in several processes of two projects', async () => {
    const [first, second, other] = await Promise.all([
      startRecording(state(), '/a'),
      startRecording(state(), '/a', 'one'),
      startRecording(state(), '/b', 'one'),
    ])
    expect(await ids('/a')).toEqual({
      [first.run]: [`${first.run}-1`, `${first.run}-2`],
      [second.run]: [`${second.run}-1`],
    })
    expect(await ids('/b')).toEqual({ [other.run]: [`${other.run}-1`] })
    expect(Object.keys(await ids(null)).sort()).toEqual([first.run, second.run, other.run].sort())
    expect((await list('/b'))[0]).toMatchObject({
      program: 'fixture',
      version: '1.2.3',
      pid: other.pid,
      project: '/b',
      contact: 'connected',
      calls: [{ tool: 'wait', args: 'says="hello"', outputTail: 'hello', status: 'executing' }],
    })
  })

  test('is nothing without a journal, and for processes that have ended', async () => {
    expect(await list('/a')).toEqual([])
    expect(await list(null)).toEqual([])
    const recording = await startRecording(state(), '/a', 'quick')
    expect(await list('/a')).toMatchObject([{ run: recording.run, calls: [] }])
    await recording.end()
    expect(await list('/a')).toEqual([])
  })

  test('does not include calls of a killed process, even before anyone marks them', async () => {
    const recording = await startRecording(state(), '/a')
    await recording.kill()
    expect(await list('/a')).toEqual([])
    const database = new DatabaseSync(journalPath(state(), '/a'), { readOnly: true })
    expect(database.prepare('SELECT status FROM calls').all()).toEqual([
      { status: 'executing' },
      { status: 'executing' },
    ])
    database.close()
  })

  test('is taken from the journal if the process does not respond', async () => {
    const recording = await startRecording(state(), '/a', 'one')
    recording.child.kill('SIGSTOP')
    const options = { stateFolder: state(), project: '/a', timeoutMs: 50 }
    expect(await listProcesses(options)).toMatchObject([
      { contact: 'silent', calls: [{ id: `${recording.run}-1`, args: 'says="hello"', status: 'executing' }] },
    ])
  })

  test('is taken from the journal if the socket is gone', async () => {
    const recording = await startRecording(state(), '/a', 'one')
    rmSync(join(state(), 'run'), { recursive: true })
    expect(await list('/a')).toMatchObject([{ contact: 'silent', calls: [{ id: `${recording.run}-1` }] }])
    change('/a', 'UPDATE runs SET socket = NULL')
    expect(await list('/a')).toMatchObject([{ contact: 'none', calls: [{ id: `${recording.run}-1` }] }])
  })

  test('is not what another process with the same socket says', async () => {
    const first = await startRecording(state(), '/a', 'one')
    const second = await startRecording(state(), '/b')
    const [{ socket }] = sockets('/b') as [{ socket: string }]
    change('/a', 'UPDATE runs SET socket = ?', socket)
    expect(second.run).not.toBe(first.run)
    expect(await list('/a')).toMatchObject([{ contact: 'silent', calls: [{ id: `${first.run}-1` }] }])
  })

  test('in another container is known only through the socket', async () => {
    const recording = await startRecording(state(), '/a', 'one')
    // As in another pid namespace.
    change('/a', 'UPDATE runs SET identity = ?', `${recording.pid}-1-1`)
    expect(await list('/a')).toMatchObject([{ contact: 'connected' }])
    change('/a', 'UPDATE runs SET socket = NULL')
    expect(await list('/a')).toMatchObject([{ contact: 'unknown', calls: [{ id: `${recording.run}-1` }] }])
    // One that has been silent for long is not listed.
    await recording.kill()
    change('/a', 'UPDATE runs SET seen_at = 0')
    expect(await list('/a')).toEqual([])
  })

  test('fails for a journal that cannot be read, and leaves it out among others', async () => {
    await startRecording(state(), '/b', 'one')
    writeFileSync(journalPath(state(), '/a'), 'not a database'.repeat(100))
    await expect(list('/a')).rejects.toThrow(/cannot read the journal .* it is damaged/)
    const warnings: string[] = []
    const warn = (message: string) => warnings.push(message)
    expect(await listProcesses({ stateFolder: state(), project: null, timeoutMs, warn })).toHaveLength(1)
    expect(warnings).toEqual([expect.stringContaining('it is damaged')])
  })
})

function sockets(project: string): unknown[] {
  const database = new DatabaseSync(journalPath(state(), project), { readOnly: true })
  const rows = database.prepare('SELECT socket FROM runs').all()
  database.close()
  return rows
}

describe('cancel', () => {
  const cancelled = { kind: 'cancelled', end: { status: 'cancelled', code: 'CANCELLED' } }

  test.each(['one', 'approval', 'deaf'] as const)('a call of another process: %s', async (scenario) => {
    const { run } = await startRecording(state(), '/a', scenario)
    expect(await cancel(`${run}-1`)).toMatchObject({
      ...cancelled,
      end: { ...cancelled.end, abandoned: scenario === 'deaf' },
    })
    await until(async () => (await ids('/a'))[run]?.length === 0)
    // A second time, it had ended before.
    expect(await cancel(`${run}-1`)).toMatchObject({ kind: 'ended', call: { status: 'cancelled' } })
  })

  test('a background task', async () => {
    const { run } = await startRecording(state(), '/a', 'background')
    expect(await ids('/a')).toEqual({ [run]: [`${run}-2`] })
    expect(await cancel(`${run}-2`)).toMatchObject(cancelled)
  })

  test('a nested call', async () => {
    const { run } = await startRecording(state(), '/a', 'outer')
    expect((await list('/a'))[0]!.calls.map(({ id, parent }) => [id, parent])).toEqual([
      [`${run}-1`, null],
      [`${run}-2`, `${run}-1`],
    ])
    expect(await cancel(`${run}-2`)).toMatchObject(cancelled)
    await until(async () => (await ids('/a'))[run]?.length === 0)
    expect(await cancel(`${run}-1`)).toMatchObject({ kind: 'ended', call: { status: 'success' } })
  })

  test('a call of another project, however the id is written', async () => {
    const { run } = await startRecording(state(), '/b', 'one')
    expect(await cancel(` ${run.toUpperCase()}-1 `, '/a')).toMatchObject(cancelled)
  })

  test('reports calls that do not exist, are lost or cannot be reached', async () => {
    const recording = await startRecording(state(), '/a', 'one')
    const { run } = recording
    expect(await cancel('nonsense')).toEqual({ kind: 'unknown', hint: 'expected an id such as m4tq-17' })
    expect(await cancel(`${run}-5`)).toEqual({ kind: 'unknown', hint: `there is only ${run}-1` })
    const similar = `${run.slice(0, 3)}${run[3] === 'x' ? 'y' : 'x'}-1`
    expect(await cancel(similar)).toEqual({ kind: 'unknown', hint: `did you mean ${run}-1?` })
    const [{ socket }] = sockets('/a') as [{ socket: string }]
    unlinkSync(socket)
    expect(await cancel(`${run}-1`)).toMatchObject({ kind: 'unreachable', run: { pid: recording.pid } })
    await recording.kill()
    expect(await cancel(`${run}-1`)).toMatchObject({
      kind: 'ended',
      call: { status: 'lost', lostIn: 'executing' },
    })
  })
})

test('a killed process leaves a socket, which does no harm', async () => {
  const killed = await startRecording(state(), '/a', 'one')
  const [{ socket }] = sockets('/a') as [{ socket: string }]
  await killed.kill()
  expect(existsSync(socket)).toBe(true)
  const next = await startRecording(state(), '/a', 'one')
  expect(await ids('/a')).toEqual({ [next.run]: [`${next.run}-1`] })
})
