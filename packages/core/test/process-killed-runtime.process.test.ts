import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { allowed } from '../../../test/support/containment.ts'
import { described, left, linux, newTag, untilNoneLeft } from '../../../test/support/processes.ts'
import { until } from '../../../test/support/until.ts'
import { readProcEntry } from '../src/process/proc-table.ts'

const program = fileURLToPath(new URL('./fixtures/run-until-killed.js', import.meta.url))
const asNobody = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups', '--']
const canBeNobody =
  process.getuid?.() === 0 && spawnSync(asNobody[0]!, [...asNobody.slice(1), 'cat', program]).status === 0

/** An ordinary user can create no cgroup here. */
const runners = [
  ...(allowed.has('cgroup') ? [{ name: 'in a cgroup', containment: 'auto', wrapper: [] }] : []),
  { name: 'with markers', containment: 'markers', wrapper: [] },
  ...(canBeNobody ? [{ name: 'as an ordinary user', containment: 'auto', wrapper: asNobody }] : []),
]

/** Carries no marker. `$0` is the tag. */
const unmarked = 'env -i sleep $0 3>&- </dev/null >/dev/null 2>&1'
const nested = `node='${process.execPath}'; program='${program}'; export inner`

const scripts: Record<string, string> = {
  'in the group of the command': `${unmarked} & wait`,
  'in its group, without a parent': `(${unmarked} &); sleep $0`,
  'in another session': `setsid ${unmarked} & wait`,
  'in the session of a daemon': `(setsid sh -c '(${unmarked} &); sleep $0' $0 &); sleep $0`,
  'below a process that ignores signals': `trap '' TERM HUP INT; ${unmarked} & wait`,
  'below a stopped process': `${unmarked} & kill -STOP $$`,
  'of a command inside of a command': `${nested}='${unmarked} & wait'; "$node" "$program" markers "$inner" $0`,
  'of a daemon inside of a command inside of a command': `${nested}='(setsid sleep $0 3>&- &); ${unmarked} & wait'
    "$node" "$program" markers "$inner" $0`,
}

let folder: string
let runtime: ChildProcess
const tags: string[] = []

beforeEach(() => {
  // For every user: the one for all tests is not.
  folder = mkdtempSync('/tmp/curfew-temporary-')
  spawnSync('chmod', ['1777', folder])
})

afterEach(async () => {
  runtime.kill('SIGKILL')
  for (const pid of tags.splice(0).flatMap(left)) process.kill(pid, 'SIGKILL')
  // It is an argument of the watchdog, which removes files at the end.
  await untilNoneLeft(folder)
  rmSync(folder, { recursive: true, force: true })
})

function start(wrapper: readonly string[], ...args: string[]): void {
  const [command, ...rest] = [...wrapper, process.execPath, program, ...args]
  runtime = spawn(command!, rest, { stdio: 'ignore', env: { ...process.env, TMPDIR: folder } })
}

function tagged(): string {
  const tag = newTag()
  tags.push(tag)
  return tag
}

function isUnmarked(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1') === ''
  } catch {
    return false
  }
}

describe.runIf(linux).each(runners)(
  'SIGKILL to the runtime ends processes without markers ($name)',
  (runner) => {
    const { containment, wrapper } = runner

    test.each(Object.entries(scripts))('%s', async (_name, script) => {
      const tag = tagged()
      start(wrapper, containment, script, tag)
      await until(() => left(tag).some(isUnmarked))
      runtime.kill('SIGKILL')
      await untilNoneLeft(tag)
    })

    test('that start others all the time', async () => {
      const tag = tagged()
      const next = '(sleep 0.002; exec env -i sh -c "$1" $0 "$1") & exit'
      start(
        wrapper,
        containment,
        `env -i sh -c '${next}' $0 '${next}' 3>&- </dev/null >/dev/null 2>&1; sleep $0`,
        tag,
      )
      await until(() => left(tag).length > 2)
      runtime.kill('SIGKILL')
      await untilNoneLeft(tag)
    })
  },
)

describe.runIf(linux)('a command that starts processes without markers in sessions of their own', () => {
  // Each is found only as long as its parent exists.
  const script = `i=0; while [ $((i += 1)) -lt 300 ]; do setsid ${unmarked} & sleep 0.004; done; sleep $0`

  test.each(['at its limit', 'when the runtime is killed'])('leaves none behind %s', async (ending) => {
    const tag = tagged()
    const limits = ending === 'at its limit' ? ['2000'] : []
    start([], 'markers', script, tag, ...limits)
    await until(() => left(tag).filter(isUnmarked).length > 5)
    if (limits.length === 0) runtime.kill('SIGKILL')
    else await new Promise((resolve) => runtime.once('exit', resolve))
    await untilNoneLeft(tag)
  })
})

describe.runIf(linux)('SIGKILL to the runtime', () => {
  test('leaves alone what the commands did not start, also in the session of the runtime', async () => {
    const [tag, other] = [newTag(), newTag()]
    start(['setsid', 'sh', '-c', `sleep ${other} & exec "$@"`, 'sh'], 'markers', `${unmarked} & wait`, tag)
    await until(() => left(tag).some(isUnmarked))
    runtime.kill('SIGKILL')
    await untilNoneLeft(tag)
    const survivors = left(other)
    for (const pid of survivors) process.kill(pid, 'SIGKILL')
    expect(survivors).toHaveLength(1)
  })
})

/** A daemon of the user: serves a command that runs, by a process with its environment, and has its descriptor open. */
const daemon = `until [ -e "$1" ]; do sleep 0.02; done; read -r pid marker < "$1"; exec 7< /proc/$pid/fd/3
  sh -c 'CURFEW_CALL=$2 sleep $1; :' sh "$2" "$marker" & exec sleep "$3"`

describe.runIf(linux)('a daemon that serves a command, in a session without a leader,', () => {
  test.each(['at its limit', 'when the runtime is killed'])('is left alone %s', async (ending) => {
    const [tag, other] = [tagged(), tagged()]
    const file = `${folder}/request`
    // Its first process ends at once, as that of most daemons.
    const first = `setsid sh -c 'sh -c "$0" "$@" > /dev/null 2>&1 &' "$0" "$@"`
    spawnSync('sh', ['-c', first, daemon, 'sh', file, tag, other])
    await until(() => left(other).length === 1)
    // Start times are in hundredths of a second.
    spawnSync('sleep', ['0.1'])
    const request = `echo "$$ $CURFEW_CALL" > ${file}-; mv ${file}- ${file}; sleep $0`
    start([], 'markers', request, tag, ...(ending === 'at its limit' ? ['3000'] : []))
    // The runtime, the two processes of the command, and two that the daemon started.
    await until(() => left(tag).length === 5, 10_000)
    if (ending !== 'at its limit') runtime.kill('SIGKILL')
    await untilNoneLeft(tag)
    expect(left(other).map((pid) => readProcEntry(pid)?.state)).toEqual(['S'])
  })
})

// Documented limitations (docs/security.md).
describe.runIf(linux)('with markers,', () => {
  test('a command in the foreground leaves only what is in our session without a parent and a marker', async () => {
    const [tag, other] = [tagged(), tagged()]
    const orphan = unmarked.replace('$0', other)
    start([], 'markers', `${unmarked} & (sleep $0 &); (${orphan} &); wait`, tag, '1000', 'foreground')
    await untilNoneLeft(tag)
    expect(left(other)).toHaveLength(1)
  })

  const users = [
    { user: 'an ordinary user', wrapper: asNobody, survivors: 1 },
    { user: 'root', wrapper: [], survivors: 0 },
  ]
  test.runIf(canBeNobody).for(users)(
    'of the processes of another user, a command of $user leaves $survivors',
    async ({ wrapper, survivors }, context) => {
      const [tag, other] = [tagged(), tagged()]
      const file = `${folder}/setpriv`
      const copy = 'cp "$(command -v setpriv)" "$0" && chown 65533 "$0" && chmod 4755 "$0"'
      spawnSync('sh', ['-c', copy, file])
      const [command, ...args] = [...asNobody, file, '--reuid', '65533', 'true']
      // Not with the mount option `nosuid`, for example.
      if (spawnSync(command!, args).status !== 0) return context.skip()
      start(wrapper, 'markers', `${file} --reuid 65533 sleep ${other} & sleep $0`, tag)
      await until(() => described(left(other)).some((line) => /^\d+ sleep/.test(line)))
      runtime.kill('SIGKILL')
      await untilNoneLeft(tag)
      await until(() => left(other).length === survivors)
    },
  )
})
