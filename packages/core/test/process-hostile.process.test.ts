import { spawn } from 'node:child_process'
import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type ProcessOptions, type ProcessResult, runProcess, startProcess } from '@curfew/core/internal'
import { describe, expect, test } from 'vitest'
import { allowed } from '../../../test/support/containment.ts'
import { left, linux, newTag, untilNoneLeft } from '../../../test/support/processes.ts'
import { until } from '../../../test/support/until.ts'

const limitMs = 400
/** On a busy machine, a killed process may take long to disappear. */
const grace = { killAfterMs: 400, graceMs: 20_000 }

/** `auto` is a cgroup if one can be created. */
const containments = (['cgroup', 'markers', 'namespace'] as const)
  .filter((kind) => allowed.has(kind))
  .map((kind) => ({ kind, containment: kind === 'cgroup' ? ('auto' as const) : kind }))

const storm = 'a fork storm of 200'
const unmarked = 'no environment, no descriptors, no session'

/** Each starts something that would run for years; `$0` is the tag. */
const scripts: Record<string, string> = {
  'a plain child': 'sleep $0',
  'a grandchild in the group': 'sleep $0 & sleep $0',
  'a grandchild in its own session': 'setsid sleep $0 & sleep $0',
  'a double-forked daemon': '(setsid sleep $0 &); sleep $0',
  'a daemon without an environment': '(env -i setsid sleep $0 &); sleep $0',
  'a child that ignores SIGTERM': 'trap "" TERM; sleep $0; sleep $0',
  'processes that hold one stream each':
    '(setsid sleep $0 2>&- 3>&- &); (setsid sleep $0 >&- 3>&- &); sleep $0',
  'a process that holds the output and ignores SIGTERM': '(trap "" TERM; setsid sleep $0 &); sleep $0',
  'a stopped child': 'sleep $0 & kill -STOP $!; kill -STOP $$; wait',
  'a process that keeps replacing itself': 'next() { sleep 0.01; next & }; next & sleep $0',
  [storm]: 'i=0; while [ $i -lt 200 ]; do sleep $0 & i=$((i+1)); done; wait',
  '100 MiB of output': 'head -c 104857600 /dev/zero; sleep $0',
  'endless output': 'yes $0',
  'endless output from a daemon': '(setsid yes $0 &); sleep $0',
  'no environment, and only the output, as descriptor 9':
    '(env -i setsid sh -c "exec 9>&1 0<&- 1>&- 2>&- 3>&-; sleep $0" &); sleep $0',
  'no environment, and only the marker, as descriptor 9':
    '(env -i setsid sh -c "exec 9>&3 0<&- 1>&- 2>&- 3>&-; sleep $0" &); sleep $0',
  [unmarked]: '(env -i setsid sh -c "exec 0<&- 1>&- 2>&- 3>&-; sleep $0" &); sleep $0',
}

type ContainmentOption = Pick<ProcessOptions, 'containment'>

/** Each runs the script to one kind of ending and returns the expected outcome. */
const endings = {
  'at its limit': async (script: string, tag: string, containment: ContainmentOption) => {
    const result = await runProcess({
      argv: ['sh', '-c', script, tag],
      timeoutMs: limitMs,
      ...grace,
      ...containment,
    })
    return { result, outcome: 'timed_out', exitCode: result.exitCode }
  },
  'when cancelled': async (script: string, tag: string, containment: ContainmentOption) => {
    const controller = new AbortController()
    setTimeout(() => controller.abort(), limitMs)
    const { signal } = controller
    const result = await runProcess({ argv: ['sh', '-c', script, tag], signal, ...grace, ...containment })
    return { result, outcome: 'cancelled', exitCode: result.exitCode }
  },
  'when the command exits': async (script: string, tag: string, containment: ContainmentOption) => {
    const argv = ['sh', '-c', `sh -c '${script}' $0 & sleep ${limitMs / 1_000}; exit 7`, tag] as const
    return { result: await runProcess({ argv, ...containment }), outcome: 'exited', exitCode: 7 }
  },
} satisfies Record<string, (script: string, tag: string, containment: ContainmentOption) => Promise<Ending>>

interface Ending {
  readonly result: ProcessResult
  readonly outcome: string
  readonly exitCode: number | null
}

describe.runIf(linux).each(containments)('contained by $kind, nothing survives', ({ kind, containment }) => {
  // Markers may miss this one, depending on timing.
  const seen = Object.entries(scripts).filter(([name]) => kind !== 'markers' || name !== unmarked)

  describe.each(seen)('%s', (name, script) => {
    // Three concurrent storms would overload the machine.
    const each = name === storm ? test : test.concurrent
    each.each(Object.entries(endings))('%s', async (_ending, run) => {
      const tag = newTag()
      const { result, outcome, exitCode } = await run(script, tag, { containment })
      expect(result).toMatchObject({ outcome, exitCode, containment: kind })
      // After an exit the grace period is fixed and short; a killed process may need longer to disappear.
      if (outcome === 'exited') await untilNoneLeft(tag)
      else expect([result.survivors, left(tag)]).toEqual([[], []])
    })
  })

  test('ends a daemon of a command that exits 0', async () => {
    const tag = newTag()
    const result = await runProcess({ argv: ['sh', '-c', '(setsid sleep $0 &); exit 0', tag], containment })
    expect(result).toMatchObject({ outcome: 'exited', exitCode: 0, containment: kind })
    await untilNoneLeft(tag)
  })

  test('reads 100 MiB of output to the last byte', async () => {
    const result = await runProcess({ argv: ['head', '-c', '104857600', '/dev/zero'], containment })
    expect(result.stdout.bytes).toBe(104_857_600)
  })

  test('a foreign process that keeps the output open delays no call and cannot write to the next', async () => {
    const argv = ['sh', '-c', 'echo own; sleep $0', newTag()] as const
    const { pid, result } = startProcess({ argv, timeoutMs: limitMs, graceMs: 500, containment })
    const foreign = openSync(`/proc/${pid}/fd/1`, constants.O_WRONLY)
    const { stdout, outcome } = await result
    expect([outcome, stdout.toString()]).toEqual(['timed_out', 'own\n'])
    const next = Array.from({ length: 20 }, () => runProcess({ argv: ['echo', 'next'], containment }))
    expect(() => writeSync(foreign, 'leak')).toThrow('EPIPE')
    closeSync(foreign)
    for (const { stdout } of await Promise.all(next)) expect(stdout.toString()).toBe('next\n')
  })
})

describe.runIf(linux)('ends all commands when the runtime is killed', () => {
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
