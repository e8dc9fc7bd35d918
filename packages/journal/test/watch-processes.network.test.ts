import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { canTest } from '../../../test/support/can-test.ts'
import { until } from '../../../test/support/until.ts'
import { cancelById } from '../src/control/cancel-by-id.ts'
import { findRuns, listProcesses } from '../src/control/list-processes.ts'
import { type ProcessWatch, watchProcesses } from '../src/control/watch-processes.ts'
import { closeLater, folder } from './support/control-setup.ts'
import { startRecording } from './support/recording-process.ts'

const state = (): string => join(folder, 'state')
const timeoutMs = 60_000
const cancel = (id: string) => cancelById({ stateFolder: state(), project: '/a', id, waitMs: timeoutMs })

describe('watching', () => {
  let changes = 0
  async function watch(project: string | null): Promise<ProcessWatch> {
    changes = 0
    const options = { stateFolder: state(), project, timeoutMs }
    return closeLater(await watchProcesses(options, () => changes++))
  }
  const watched = (watch: ProcessWatch) =>
    watch.current().map(({ run, contact, calls }) => [run, contact, ...calls.map(({ id }) => id)])

  test('follows processes and calls as they come and go', async () => {
    const first = await startRecording(state(), '/a', 'one')
    const view = await watch(null)
    expect(watched(view)).toEqual([[first.run, 'connected', `${first.run}-1`]])
    const second = await startRecording(state(), '/b')
    const call = (number: number): string => `${second.run}-${number}`
    await until(() => watched(view).length === 2)
    expect(watched(view)[1]).toEqual([second.run, 'connected', call(1), call(2)])
    await cancel(call(1))
    await until(() => watched(view)[1]?.length === 3)
    expect(watched(view)[1]).toEqual([second.run, 'connected', call(2)])
    await first.kill()
    await until(() => watched(view).length === 1)
    await second.end()
    await until(() => watched(view).length === 0)
    expect(changes).toBeGreaterThan(3)
  })

  test('notices a process that stops responding, and its return', async () => {
    const recording = await startRecording(state(), '/a', 'one')
    const view = closeLater(
      await watchProcesses({ stateFolder: state(), project: '/a', timeoutMs: 300 }, () => {}),
    )
    const call = `${recording.run}-1`
    await until(() => watched(view)[0]?.[1] === 'connected')
    recording.child.kill('SIGSTOP')
    await until(() => watched(view)[0]?.[1] === 'silent')
    expect(watched(view)).toEqual([[recording.run, 'silent', call]])
    recording.child.kill('SIGCONT')
    await until(() => watched(view)[0]?.[1] === 'connected')
    expect(watched(view)).toEqual([[recording.run, 'connected', call]])
  })

  test('starts before there is a journal', async () => {
    const view = await watch('/a')
    expect(view.current()).toEqual([])
    const { run } = await startRecording(state(), '/a', 'one')
    await until(() => view.current().length === 1)
    expect(watched(view)).toEqual([[run, 'connected', `${run}-1`]])
  })
})

const isRoot = process.getuid?.() === 0
const canUnshare = isRoot && spawnSync('unshare', ['--pid', '--fork', '--mount-proc', 'true']).status === 0

test.runIf(canTest(canUnshare ? null : 'a PID namespace needs root and unshare'))(
  'a process in another pid namespace can be listed and cancelled',
  async () => {
    const command = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc']
    const recording = await startRecording(state(), '/a', 'one', command)
    expect(await listProcesses({ stateFolder: state(), project: '/a', timeoutMs })).toMatchObject([
      { contact: 'connected', calls: [{ id: `${recording.run}-1` }] },
    ])
    expect(await cancel(`${recording.run}-1`)).toMatchObject({
      kind: 'cancelled',
      end: { status: 'cancelled' },
    })
  },
)

test('the running time in the journal is right, also of a call that writes nothing for long', async () => {
  const recording = await startRecording(state(), '/a', 'one')
  const options = { stateFolder: state(), project: '/a', timeoutMs: 500 }
  const journalTime = (): number => {
    const [found] = findRuns(options)
    const { durationMs, startedAt, updatedAt } = found!.live.calls[0]!
    return durationMs === null ? -1 : durationMs - (updatedAt - startedAt!)
  }
  // Until its time has been written again.
  await until(() => findRuns(options)[0]!.live.calls[0]!.durationMs! > 4_000)
  expect(Math.abs(journalTime())).toBeLessThan(500)
  recording.child.kill('SIGSTOP')
  const [stopped] = await listProcesses(options)
  const { elapsedMs, updatedAt, startedAt } = stopped!.calls[0]!
  expect(stopped!.contact).toBe('silent')
  expect(Math.abs(elapsedMs - (updatedAt - startedAt!))).toBeLessThan(500)
})
