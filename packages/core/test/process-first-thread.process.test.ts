import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { startProcess } from '@curfew/core/internal'
import { describe, expect, test } from 'vitest'
import { hasProgram } from '../../../test/support/can-test.ts'
import { allowed } from '../../../test/support/containment.ts'
import { left, linux, newTag, untilNoneLeft } from '../../../test/support/processes.ts'
import { until } from '../../../test/support/until.ts'
import { ownCgroup } from '../src/process/cgroup-home.ts'
import { readProcEntry } from '../src/process/proc-table.ts'

const fixture = (name: string): string => fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url))
const python = `$(command -v python3) ${fixture('first-thread-ends.py')} $0`
const path = `mine=${(ownCgroup() ?? '').replace(/\/$/, '')}$(sed -n 's|^0::||p' /proc/self/cgroup)`

/** `$0` is the tag. After its first thread, each process forks. */
const scripts: Record<string, string> = {
  'the command itself': `exec ${python}`,
  'a daemon with the output and no environment': `(env -i setsid ${python} 3>&- &); sleep $0`,
  'a daemon with the environment only': `(setsid ${python} </dev/null >/dev/null 2>&1 3>&- &); sleep $0`,
}

/** Only the cgroup finds it, although `cgroup.procs` does not list it any longer. */
const inRemovedCgroup = `${path}; mkdir $mine/a $mine/b
  (echo 0 > $mine/a/cgroup.procs; env -i setsid ${python} $mine/a $mine/b </dev/null >/dev/null 2>&1 3>&- &); sleep $0`

const containments = (['cgroup', 'markers', 'namespace'] as const)
  .filter((kind) => allowed.has(kind))
  .map((kind) => ({ kind, containment: kind === 'cgroup' ? ('auto' as const) : kind }))

/** Both the process without a first thread, and its child. */
const untilStarted = (tag: string): Promise<unknown> =>
  until(() => {
    const zombie = left(tag).find((pid) => readProcEntry(pid)?.state === 'Z')
    return left(tag).some((pid) => zombie !== undefined && readProcEntry(pid)?.parent === zombie)
  })

const canRun = linux && hasProgram('python3', '-c', 'import ctypes')

describe.runIf(canRun).each(containments)('ends processes without their first thread ($kind)', (of) => {
  const all = Object.entries(
    of.kind === 'cgroup' ? { ...scripts, 'in a removed cgroup': inRemovedCgroup } : scripts,
  )

  test.concurrent.each(all)('%s: when cancelled', async (_name, script) => {
    const tag = newTag()
    const end = new AbortController()
    const argv = ['sh', '-c', script, tag] as const
    const { result } = startProcess({
      argv,
      signal: end.signal,
      // The first process of a namespace ignores SIGTERM.
      graceMs: 3_000,
      containment: of.containment,
    })
    await untilStarted(tag)
    end.abort()
    expect(await result).toMatchObject({ outcome: 'cancelled', survivors: [], containment: of.kind })
    expect(left(tag)).toEqual([])
  })

  test.concurrent.each(all)('%s: when the runtime is killed', async (_name, script) => {
    const tag = newTag()
    const argv = [fixture('run-until-killed.js'), of.containment, script, tag]
    const runtime = spawn(process.execPath, argv, { stdio: 'ignore' })
    await untilStarted(tag)
    runtime.kill('SIGKILL')
    await untilNoneLeft(tag)
  })
})
