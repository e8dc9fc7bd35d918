import { type ChildProcess, spawn } from 'node:child_process'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { left, linux, newTag, untilNoneLeft } from '../../../test/support/processes.ts'
import { runUnprivileged } from '../../../test/support/run-unprivileged.ts'
import { until } from '../../../test/support/until.ts'
import type { Containment } from '../src/process/containment.ts'
import { createMarkers } from '../src/process/markers.ts'
import { releaseRuntimeDirectory } from '../src/process/runtime-directory.ts'

/** Processes of this group seem to end before they are read, as if each started the next, unless they are stopped. */
const fake = vi.hoisted(() => ({ unseenGroup: 0, stopped: false, calls: 0 }))

vi.mock('../src/process/proc-table.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('../src/process/proc-table.ts')>()
  const readProcEntry = (pid: number) => {
    const entry = original.readProcEntry(pid)
    return entry?.group === fake.unseenGroup && !fake.stopped ? null : entry
  }
  return { ...original, readProcEntry }
})

vi.mock('../src/process/pid-window.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('../src/process/pid-window.ts')>()
  // A process is started during each scan.
  return { ...original, lastPid: () => original.lastPid()! + (fake.calls++ % 2) }
})

afterEach(() => {
  fake.unseenGroup = 0
  vi.restoreAllMocks()
})

afterAll(releaseRuntimeDirectory)

async function runToEnd(script: string, tag: string): Promise<{ markers: Containment; group: number }> {
  const markers = createMarkers()
  let child: ChildProcess | undefined
  const start = (options: object): ChildProcess => (child = spawn('sh', ['-c', script, tag], options))
  markers.spawn(start, { detached: true, stdio: ['ignore', 'ignore', 'ignore'] }, [])
  await until(() => child?.exitCode === 0)
  return { markers, group: child!.pid! }
}

test.runIf(linux)('ends a group whose processes end before they are seen', async () => {
  const tag = newTag()
  const { markers, group } = await runToEnd('sleep $0 & exit', tag)
  fake.unseenGroup = group
  const kill = process.kill.bind(process)
  vi.spyOn(process, 'kill').mockImplementation((pid, signal) => {
    if (pid === -group && signal !== 0) fake.stopped = signal === 'SIGSTOP'
    return kill(pid, signal)
  })
  expect(markers.members()).toEqual(left(tag))
  expect(left(tag)).toHaveLength(1)
  markers.kill()
  await untilNoneLeft(tag)
})

test.runIf(linux)('signals no group that may be of somebody else, because its own has ended', async () => {
  const { markers, group } = await runToEnd('exit', newTag())
  const kill = vi.spyOn(process, 'kill').mockImplementation(() => {
    throw Object.assign(new Error('no such process'), { code: 'ESRCH' })
  })
  expect(markers.members()).toEqual([])
  kill.mockImplementation(() => true)
  kill.mockClear()
  expect(markers.members()).toEqual([])
  markers.kill()
  expect(kill).not.toHaveBeenCalledWith(-group, expect.anything())
})

test.runIf(linux)(
  'ends, as an ordinary user, a daemon that has only the marker, as another descriptor',
  async () => {
    const tag = newTag()
    const program = `
    import { runProcess } from '@curfew/core/internal'
    const argv = ['sh', '-c', process.argv[1], process.argv[2]]
    const { survivors, containment } = await runProcess({ argv, containment: 'markers' })
    console.log(containment, survivors.length)`
    const script =
      '(env -i setsid sh -c "exec 9>&3 0<&- 1>&- 2>&- 3>&-; sleep $0" &); while ! pgrep -f "^sleep $0"; do sleep 0.01; done'
    expect(runUnprivileged(program, script, tag)).toBe('markers 0\n')
    await untilNoneLeft(tag)
  },
)
