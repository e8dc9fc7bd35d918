import { spawn } from 'node:child_process'
import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type ProcessOptions, type ProcessResult, runProcess, startProcess } from '@curfew/core/internal'
import { describe, expect, test } from 'vitest'
import { allowed } from '../../../test/support/containment.ts'
import { left, linux, newTag } from '../../../test/support/processes.ts'
import { until } from '../../../test/support/until.ts'

const limitMs = 400
const graceMs = 500
/** What a busy machine may add. */
const slackMs = 10_000

/** `auto` is a cgroup where it is allowed. */
const containments = (['cgroup', 'markers', 'namespace'] as const)
  .filter((kind) => allowed.has(kind))
  .map((kind) => ({ kind, containment: kind === 'cgroup' ? ('auto' as const) : kind }))

const storm = 'a storm of 200'
const unseen = 'no environment, no descriptors, no session'

/** Each starts something that would run for years; `$0` is the tag. */
const scripts: Record<string, string> = {
  'a plain child': 'sleep $0',
  'a grandchild in the group': 'sleep $0 & sleep $0',
  'a grandchild in a session of its own': 'setsid sleep $0 & sleep $0',
  'a double-forked daemon': '(setsid sleep $0 &); sleep $0',
  'a daemon without an environment': '(env -i setsid sleep $0 &); sleep $0',
  'a child that ignores SIGTERM': 'trap "" TERM; sleep $0; sleep $0',
  'holders of one stream each': '(setsid sleep $0 2>&- 3>&- &); (setsid sleep $0 >&- 3>&- &); sleep $0',
  'a holder of the output that ignores SIGTERM': '(trap "" TERM; setsid sleep $0 &); sleep $0',
  'a stopped child': 'sleep $0 & kill -STOP $!; kill -STOP $$; wait',
  'one that starts its successor and ends': 'next() { sleep 0.01; next & }; next & sleep $0',
  [storm]: 'i=0; while [ $i -lt 200 ]; do sleep $0 & i=$((i+1)); done; wait',
  '100 MiB of output': 'head -c 104857600 /dev/zero; sleep $0',
  'endless output': 'yes $0',
  'endless output of a daemon': '(setsid yes $0 &); sleep $0',
  [unseen]: '(env -i setsid sh -c "exec 0<&- 1>&- 2>&- 3>&-; sleep $0" &); sleep $0',
}

type Held = Pick<ProcessOptions, 'containment'>

/** Each runs the script to one kind of ending, and says what it ought to be. */
const endings = {
  'at its limit': async (script: string, tag: string, held: Held) => {
    const result = await runProcess({ argv: ['sh', '-c', script, tag], timeoutMs: limitMs, graceMs, ...held })
    return { result, outcome: 'timed_out', exitCode: result.exitCode }
  },
  'when it is cancelled': async (script: string, tag: string, held: Held) => {
    const controller = new AbortController()
    setTimeout(() => controller.abort(), limitMs)
    const { signal } = controller
    const result = await runProcess({ argv: ['sh', '-c', script, tag], signal, graceMs, ...held })
    return { result, outcome: 'cancelled', exitCode: result.exitCode }
  },
  'when the command exits by itself': async (script: string, tag: string, held: Held) => {
    const argv = ['sh', '-c', `sh -c '${script}' $0 & sleep ${limitMs / 1_000}; exit 7`, tag] as const
    return { result: await runProcess({ argv, ...held }), outcome: 'exited', exitCode: 7 }
  },
} satisfies Record<string, (script: string, tag: string, held: Held) => Promise<Ending>>

interface Ending {
  readonly result: ProcessResult
  readonly outcome: string
  readonly exitCode: number | null
}

describe.runIf(linux).each(containments)('held by $kind, nothing is left', ({ kind, containment }) => {
  describe.each(Object.entries(scripts))('%s', (name, script) => {
    // Three storms at once would be a test of the machine.
    const each = name === storm ? test : test.concurrent
    each.each(Object.entries(endings))('%s', async (_ending, run) => {
      const tag = newTag()
      const { result, outcome, exitCode } = await run(script, tag, { containment })
      const survivors = left(tag)
      for (const pid of survivors) process.kill(pid, 'SIGKILL')
      expect(result).toMatchObject({ outcome, exitCode, survivors: [], containment: kind })
      expect(result.durationMs).toBeLessThan(limitMs + graceMs + slackMs)
      // The one thing that markers cannot see.
      if (kind === 'markers' && name === unseen) expect(survivors).not.toEqual([])
      else expect(survivors).toEqual([])
    })
  })

  test('a daemon started by a command that then exits 0', async () => {
    const tag = newTag()
    const result = await runProcess({ argv: ['sh', '-c', '(setsid sleep $0 &); exit 0', tag], containment })
    expect(left(tag)).toEqual([])
    expect(result).toMatchObject({ outcome: 'exited', exitCode: 0, survivors: [], containment: kind })
  })

  test('100 MiB of output are read to the last byte', async () => {
    const result = await runProcess({ argv: ['head', '-c', '104857600', '/dev/zero'], containment })
    expect(result.stdout.bytes).toBe(104_857_600)
  })

  test('a holder of the output that outlives everything neither keeps the call nor gets into the next', async () => {
    const argv = ['sh', '-c', 'echo own; sleep $0', newTag()] as const
    const { pid, result } = startProcess({ argv, timeoutMs: limitMs, graceMs, containment })
    const held = openSync(`/proc/${pid}/fd/1`, constants.O_WRONLY)
    const { stdout, durationMs, outcome } = await result
    expect(durationMs).toBeLessThan(limitMs + graceMs + slackMs)
    expect([outcome, stdout.toString()]).toEqual(['timed_out', 'own\n'])
    const next = Array.from({ length: 20 }, () => runProcess({ argv: ['echo', 'next'], containment }))
    expect(() => writeSync(held, 'leak')).toThrow('EPIPE')
    closeSync(held)
    for (const { stdout } of await Promise.all(next)) expect(stdout.toString()).toBe('next\n')
  })
})

describe.runIf(linux)('when the runtime itself is killed, its commands go with it', () => {
  const mixed = [...containments.map(({ containment }) => containment), 'markers,auto']

  test.for(mixed)('%s', async (containment, { annotate }) => {
    const tag = newTag()
    const program = fileURLToPath(new URL('./fixtures/ten-commands.js', import.meta.url))
    const child = spawn(process.execPath, [program, tag, containment], { stdio: 'ignore' })
    await until(() => left(tag).filter((pid) => pid !== child.pid).length >= 40)
    expect(left(tag).length).toBeGreaterThan(40)
    child.kill('SIGKILL')
    const start = performance.now()
    await until(() => left(tag).length === 0)
    expect(left(tag)).toEqual([])
    await annotate(`all gone after ${Math.round(performance.now() - start)} ms`)
  })
})
