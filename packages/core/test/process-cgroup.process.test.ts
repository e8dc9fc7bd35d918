import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { runProcess } from '@curfew/core/internal'
import { describe, expect, test } from 'vitest'
import { allowed } from '../../../test/support/containment.ts'
import { left, newTag } from '../../../test/support/processes.ts'
import { until } from '../../../test/support/until.ts'
import { ownCgroup, removeCgroup } from '../src/process/cgroup-home.ts'
import { readProcEntry } from '../src/process/proc-table.ts'
import { processIdentity } from '../src/process/process-identity.ts'

const own = ownCgroup() ?? ''
/** Sets `$mine` to the cgroup of the script. */
const findCgroup = `mine=$(sed -n 's|^0::|${own.replace(/\/$/, '')}|p' /proc/self/cgroup); mine=\${mine%/}`
/** A process without any marker. `$0` is the tag. */
const unmarked = 'env -i setsid sh -c "exec 0<&- 1>&- 2>&- 3>&-; sleep $0"'

describe.runIf(allowed.has('cgroup'))('a command that manipulates cgroups', () => {
  const nested = `${findCgroup}; mkdir $mine/a $mine/a/b; (echo 0 > $mine/a/b/cgroup.procs; ${unmarked} &)`

  test.each([
    ['exits', `${nested}; sleep 0.2; echo $mine; exit 3`, { outcome: 'exited', exitCode: 3 }],
    ['times out', `${nested}; echo $mine; sleep $0`, { outcome: 'timed_out' }],
  ])('ends processes in nested cgroups when it %s', async (_ending, script, expected) => {
    const tag = newTag()
    const result = await runProcess({ argv: ['sh', '-c', script, tag], timeoutMs: 600 })
    expect(left(tag)).toEqual([])
    expect(result).toMatchObject({ ...expected, survivors: [], containment: 'cgroup' })
    const mine = result.stdout.toString().trim()
    expect(mine).toMatch(/curfew-/)
    await until(() => {
      removeCgroup(mine)
      return !existsSync(mine)
    })
    expect(existsSync(join(mine, 'a'))).toBe(false)
  })

  test.each([
    ['a child in the group', 'sleep $0 &'],
    ['a daemon', '(setsid sleep $0 &)'],
    ['a daemon without an environment', '(env -i setsid sleep $0 &)'],
    ['a daemon that keeps only its environment', '(setsid sh -c "exec 0<&- 1>&- 2>&- 3>&-; sleep $0" $0 &)'],
  ])('moves into our cgroup: %s is still found', async (_name, start) => {
    const tag = newTag()
    const script = `echo $$ > ${own}/cgroup.procs || exit 9; ${start}\nsleep 0.2; exit 4`
    const result = await runProcess({ argv: ['sh', '-c', script, tag], timeoutMs: 5_000 })
    expect(left(tag)).toEqual([])
    expect(result).toMatchObject({ outcome: 'exited', exitCode: 4, survivors: [], containment: 'cgroup' })
  })

  // A documented limitation (decision 6).
  test('moves out and drops every marker: it escapes', async () => {
    const tag = newTag()
    const script = `echo $$ > ${own}/cgroup.procs || exit 9; (${unmarked} &) ; sleep 0.2`
    await runProcess({ argv: ['sh', '-c', script, tag], timeoutMs: 5_000 })
    const survivors = left(tag)
    for (const pid of survivors) process.kill(pid, 'SIGKILL')
    expect(survivors).not.toEqual([])
  })

  test('moves the runtime into its own cgroup: the runtime survives', async () => {
    const tag = newTag()
    const script = `${findCgroup}; echo $PPID > $mine/cgroup.procs; (setsid sleep $0 &); sleep 0.1`
    const result = await runProcess({ argv: ['sh', '-c', script, tag], timeoutMs: 5_000 })
    writeFileSync(join(own, 'cgroup.procs'), String(process.pid))
    expect(result).toMatchObject({ outcome: 'exited', survivors: [] })
    expect(left(tag)).toEqual([])
  })
})

function canWrite(path: string, content: string): boolean {
  try {
    writeFileSync(path, content)
    return true
  } catch {
    return false
  }
}

describe.runIf(allowed.has('cgroup'))('cgroups of runtimes that were killed', () => {
  const program = fileURLToPath(new URL('./fixtures/run-command.js', import.meta.url))
  const run = (...argv: string[]) => spawnSync(process.execPath, [program, ...argv], { encoding: 'utf8' })
  const cgroupOf = (identity: string): string => join(own, `curfew-${identity}-1`)
  const [, startTime, namespace] = processIdentity.split('-')

  test('are removed by the next start with nested ones, even if the pid has been reused', () => {
    const stale = [`4194303-1-${namespace}`, `${process.pid}-${Number(startTime) - 1}-${namespace}`].map(
      cgroupOf,
    )
    for (const path of stale) mkdirSync(join(path, '1', 'nested'), { recursive: true })
    expect(run('true').status).toBe(0)
    expect(stale.filter(existsSync)).toEqual([])
  })

  test('are killed first if they contain processes, also one that imitates a watchdog', async () => {
    const tag = newTag()
    const stale = cgroupOf(`4194303-2-${namespace}`)
    const child = spawn('sh', ['-c', 'read -r _', 'curfew-watchdog', stale, tag])
    // Other processes on this machine remove an empty one at any moment.
    await until(() => {
      mkdirSync(join(stale, '1'), { recursive: true })
      return canWrite(join(stale, '1', 'cgroup.procs'), String(child.pid))
    })
    run('true')
    await until(() => left(tag).length === 0)
    expect(left(tag)).toEqual([])
    await until(() => run('true').status === 0 && !existsSync(stale))
    expect(existsSync(stale)).toBe(false)
  })

  test('are kept while their watchdog is active, so that commands get their killAfterMs', async () => {
    const tag = newTag()
    const stale = cgroupOf(`4194303-3-${namespace}`)
    // First, because other processes on this machine remove cgroups without one.
    const watchdog = spawn('sh', ['-c', 'read -r _', 'curfew-watchdog', stale])
    // They may have listed the watchdogs just before it started.
    await sleep(500)
    mkdirSync(join(stale, '1'), { recursive: true })
    const child = spawn('sleep', [tag], { stdio: 'ignore' })
    writeFileSync(join(stale, '1', 'cgroup.procs'), String(child.pid))
    run('true')
    expect(readFileSync(join(stale, 'cgroup.events'), 'utf8')).toContain('populated 1')
    watchdog.kill('SIGKILL')
    await once(watchdog, 'exit')
    await until(() => run('true').status === 0 && !existsSync(stale))
    expect(left(tag)).toEqual([])
  })

  test('are kept if their owner is alive or in another PID namespace, or if they are not ours', () => {
    const kept = [cgroupOf(processIdentity), cgroupOf(`${process.pid}-1-1`), join(own, 'curfew-of-the-user')]
    for (const path of kept) mkdirSync(path)
    try {
      run('true')
      expect(kept.filter(existsSync)).toEqual(kept)
    } finally {
      for (const path of kept) rmdirSync(path)
    }
  })

  test('are removed after an ordinary run', () => {
    const { stdout } = run('sh', '-c', 'echo $PPID')
    const { stdout: pid } = JSON.parse(stdout)
    expect(readdirSync(own).filter((name) => name.startsWith(`curfew-${pid.trim()}-`))).toEqual([])
  })
})

describe.runIf(allowed.has('markers'))('markers', () => {
  test('do not match a command whose number begins with the same digits', async () => {
    const { stdout } = await runProcess({ argv: ['sh', '-c', 'echo $CURFEW_CALL'], containment: 'markers' })
    const [, prefix, count] = /^(.*-)(\d+);$/.exec(stdout.toString().trim())!
    // A later command whose variable begins with the first one's.
    const longer = Number(count) + 1
    const first = runProcess({ argv: ['sleep', '0.5'], containment: 'markers' })
    const tag = newTag()
    const later = spawn('sleep', [tag], {
      env: { ...process.env, CURFEW_CALL: `${prefix}${longer}1;` },
      stdio: 'ignore',
      detached: true,
    })
    expect(readProcEntry(later.pid!)).not.toBeNull()
    expect((await first).outcome).toBe('exited')
    const alive = left(tag)
    later.kill('SIGKILL')
    expect(alive).toEqual([later.pid])
  })
})
