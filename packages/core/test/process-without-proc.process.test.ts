import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ProcessReport } from '@curfew/core/internal'
import { describe, expect, test } from 'vitest'
import { canTest } from '../../../test/support/can-test.ts'
import { left, linux, newTag } from '../../../test/support/processes.ts'

const program = fileURLToPath(new URL('./fixtures/run-command.js', import.meta.url))
/** Runs a program without root. */
const asNobody = 'exec setpriv --reuid 65534 --regid 65534 --clear-groups "$@"'

/** Each wrapper hides /proc, or part of it, from the program that it runs. */
const wrappers: Record<string, readonly string[]> = {
  'not mounted': ['unshare', '--mount', 'sh', '-c', 'mount -t tmpfs none /proc && exec "$@"', 'sh'],
  unreadable: [
    ...['unshare', '--mount', 'sh', '-c'],
    `mount -t tmpfs -o mode=0700 none /proc && chmod 0 /proc && ${asNobody}`,
    'sh',
  ],
  'of another PID namespace': ['unshare', '--pid', '--fork', '--kill-child'],
  'hides other users': [
    ...['unshare', '--mount', 'sh', '-c'],
    `mount -t proc -o hidepid=2 proc /proc && ${asNobody}`,
    'sh',
  ],
}

const withLoadavg = `mount --bind "$0" /proc/loadavg && ${asNobody}`

test.runIf(linux)('if /proc/loadavg shows the last pid of another PID namespace, a daemon is found', () => {
  const folder = mkdtempSync('/tmp/curfew-temporary-')
  const file = join(folder, 'loadavg')
  writeFileSync(file, '0.10 0.20 0.30 1/120 4194303\n')
  const wrapper = ['--mount', 'sh', '-c', withLoadavg, file, process.execPath]
  try {
    const probe = spawnSync('unshare', [...wrapper, '-e', `require('fs').accessSync('${program}')`])
    if (!canTest(probe.status === 0 ? null : `another /proc/loadavg: ${probe.error ?? probe.stderr}`)) return
    const tag = newTag()
    const argv = ['sh', '-c', '(setsid sleep $0 >/dev/null 2>&1 &) ; exit 3', tag]
    const { stdout } = spawnSync('unshare', [...wrapper, program, ...argv], {
      encoding: 'utf8',
      env: { ...process.env, TMPDIR: '/tmp' },
    })
    const survivors = left(tag)
    for (const pid of survivors) process.kill(pid, 'SIGKILL')
    expect(survivors).toEqual([])
    expect(JSON.parse(stdout)).toMatchObject({ exit_code: 3, survivors: [], containment: 'markers' })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

describe.runIf(linux).each(Object.entries(wrappers))('/proc cannot be used (%s)', (name, wrapper) => {
  const [command, ...args] = wrapper
  const probe = spawnSync(command!, [
    ...args,
    process.execPath,
    '-e',
    `require('fs').accessSync('${program}')`,
  ])
  const problem = probe.status === 0 ? null : `without /proc (${name}): ${probe.error ?? probe.stderr}`

  test.runIf(canTest(problem))('ends the group and reports unknown survivors', () => {
    const tag = newTag()
    const script = 'trap "" TERM; sleep $0 & sleep $0 >&- 2>&- & echo up; exit 3'
    const { stdout, stderr } = spawnSync(
      command!,
      [...args, process.execPath, program, 'sh', '-c', script, tag],
      {
        encoding: 'utf8',
        env: { ...process.env, TMPDIR: '/tmp' },
      },
    )
    const survivors = left(tag)
    for (const pid of survivors) process.kill(pid, 'SIGKILL')
    expect(survivors).toEqual([])
    expect(stderr).toBe('')
    const report: ProcessReport = JSON.parse(stdout)
    expect(report).toMatchObject({ outcome: 'exited', exit_code: 3, stdout: 'up\n', survivors: null })
    expect(report.containment).toBe(name.includes('hides') ? 'markers' : 'group')
  })
})
