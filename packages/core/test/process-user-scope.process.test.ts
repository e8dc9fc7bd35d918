import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { allowed } from '../../../test/support/containment.ts'
import { left, newTag, untilNoneLeft } from '../../../test/support/processes.ts'
import { until } from '../../../test/support/until.ts'
import { ownCgroup, removeCgroup } from '../src/process/cgroup-home.ts'

const program = fileURLToPath(new URL('./fixtures/run-in-user-scope.js', import.meta.url))
const nobody = 65_534
/** Stands in for `busctl`, and for the user's systemd: creates the scope, and moves the process into it. */
const busctl = `#!/bin/sh
printf '%s\\n' "$@" > "$TEST_FOLDER/arguments"
while [ "$1" != au ]; do shift; done
mkdir "$TEST_CGROUP/user.scope" && echo "$3" > "$TEST_CGROUP/user.scope/cgroup.procs"
`
/** In a mount namespace: who lingers is in a folder of root. Then in the cgroup of a login. */
const setUp = `mount -t tmpfs none /var/lib && mkdir -p /var/lib/systemd/linger && if $1; then touch /var/lib/systemd/linger/nobody; fi
echo $$ > "$TEST_CGROUP/session-1.scope/cgroup.procs"
shift; exec setpriv --reuid ${nobody} --regid ${nobody} --clear-groups "$@"`

const isRoot = process.getuid?.() === 0
const canRun =
  isRoot &&
  allowed.has('cgroup') &&
  spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/var/lib']).status === 0 &&
  spawnSync('setpriv', ['--reuid', String(nobody), '--clear-groups', 'cat', program]).status === 0

let folder: string
let cgroup: string
let tag: string

beforeEach(() => {
  if (!canRun) return
  folder = mkdtempSync('/tmp/curfew-scope-')
  mkdirSync(join(folder, 'systemd'))
  writeFileSync(join(folder, 'systemd', 'private'), '')
  writeFileSync(join(folder, 'busctl'), busctl, { mode: 0o755 })
  tag = newTag()
  cgroup = join(ownCgroup()!, `of-a-user-${tag}`)
  mkdirSync(join(cgroup, 'session-1.scope'), { recursive: true })
  for (const path of [folder, cgroup, join(cgroup, 'cgroup.procs')]) chownSync(path, nobody, nobody)
  chmodSync(folder, 0o755)
})

afterEach(async () => {
  if (!canRun) return
  for (const pid of left(tag)) process.kill(pid, 'SIGKILL')
  await until(() => removeCgroup(cgroup))
  rmSync(folder, { recursive: true })
})

function run({ lingers = true, runtimeFolder = folder } = {}, ...argv: string[]) {
  const args = ['--mount', 'sh', '-c', setUp, 'sh', String(lingers), process.execPath, program, ...argv]
  const env = {
    ...process.env,
    PATH: `${folder}:${process.env.PATH}`,
    TMPDIR: '/tmp',
    XDG_RUNTIME_DIR: runtimeFolder,
    TEST_FOLDER: folder,
    TEST_CGROUP: cgroup,
  }
  const { stdout, stderr } = spawnSync('unshare', args, { encoding: 'utf8', env })
  expect(stderr).toBe('')
  return JSON.parse(stdout)
}

describe.runIf(canRun)('a program that an ordinary user starts after logging in', () => {
  test('gets a cgroup from the systemd of the user, and its commands are contained by cgroups', async () => {
    // Carries no marker, and leaves its session.
    const script =
      'env -i setsid sh -c "exec 0<&- 1>&- 2>&- 3>&-; (sleep $0 &)"; grep ^0:: /proc/self/cgroup; exit 3'
    const result = run({}, 'sh', '-c', script, tag)
    expect(result).toMatchObject({ outcome: 'exited', exit_code: 3, containment: 'cgroup', survivors: [] })
    expect(result.stdout).toMatch(/\/user\.scope\/curfew-[\d-]+\/1\n$/)
    await untilNoneLeft(tag)
    const call = readFileSync(join(folder, 'arguments'), 'utf8').trim().split('\n')
    expect(call).toEqual([
      ...['--user', 'call', 'org.freedesktop.systemd1', '/org/freedesktop/systemd1'],
      ...['org.freedesktop.systemd1.Manager', 'StartTransientUnit', 'ssa(sv)a(sa(sv))'],
      ...[expect.stringMatching(/^curfew-\d+-\d+\.scope$/), 'fail', '2', 'PIDs', 'au', '1'],
      ...[expect.stringMatching(/^\d+$/), 'Delegate', 'b', 'true', '0'],
    ])
  })

  test.each([
    ['that systemd ends with the last login', { lingers: false }],
    ['there is none', { runtimeFolder: '/nowhere' }],
  ])('stays where it is if %s', (_reason, options) => {
    const { stdout, containment } = run(options, 'grep', '^0::', '/proc/self/cgroup')
    expect([containment, stdout]).toEqual(['markers', expect.stringContaining('/session-1.scope\n')])
  })

  test.each([
    ['fails', 'exit 1'],
    ['does not answer', 'exec sleep 60'],
  ])('uses markers if that systemd %s', async (_how, script) => {
    writeFileSync(join(folder, 'busctl'), `#!/bin/sh\n${script}\n`)
    const { movedMs, containment, outcome } = run({}, 'true')
    expect([outcome, containment]).toEqual(['exited', 'markers'])
    // It waits half a second at most; a busy machine may need much longer for everything.
    expect(movedMs).toBeLessThan(20_000)
    await untilNoneLeft(folder)
  })
})
