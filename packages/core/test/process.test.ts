import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  createRuntime,
  executeToolCall,
  niceTool,
  type ProcessReport,
  sleepTool,
  timeoutTool,
} from '@curfew/core'
import { containmentReport, runProcess } from '@curfew/core/process'
import { describe, expect, test } from 'vitest'

const linux = process.platform === 'linux'
if (!linux) process.stdout.write('process tests are skipped: they look at /proc, which only Linux has\n')

/** What this machine allows; the rest is skipped, with a word. */
const allowed = new Set(
  containmentReport()
    .filter(({ available }) => available)
    .map(({ kind }) => kind),
)
for (const { kind, available, detail } of linux ? containmentReport() : []) {
  if (!available) process.stdout.write(`process tests with ${kind} are skipped: ${detail}\n`)
}

/** Every process of a test has this text among its arguments, so that whoever is left can be found without our own code. */
let count = 0
const newTag = (): string => `31536${process.pid}${++count}`

function left(tag: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && isLeft(pid, tag))
}

function isLeft(pid: number, tag: string): boolean {
  try {
    const alive = !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
    return alive && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(tag)
  } catch {
    return false
  }
}

/** Each starts something that would sleep for years; `$0` is the tag. */
const scripts: Record<string, string> = {
  'a plain child': 'sleep $0',
  'a grandchild in the group': 'sleep $0 & sleep $0',
  'a grandchild in a session of its own': 'setsid sleep $0 & sleep $0',
  'a double-forked daemon': '(setsid sleep $0 &); sleep $0',
  'a child that ignores SIGTERM': 'trap "" TERM; sleep $0; sleep $0',
  'a grandchild that ignores SIGTERM and holds the output': '(trap "" TERM; setsid sleep $0 &); sleep $0',
  'a stopped child': 'sleep $0 & kill -STOP $!; kill -STOP $$; wait',
  'no environment, no descriptors, no session':
    '(env -i setsid sh -c "exec 0<&- 1>&- 2>&- 3>&-; sleep $0" &); sleep $0',
  'a storm of 200': 'i=0; while [ $i -lt 200 ]; do sleep $0 & i=$((i+1)); done; wait',
}

describe.runIf(linux)('the timeout tool leaves nothing running', () => {
  // Markers alone cannot see the one with no environment, no descriptors and no session.
  const seen = Object.entries(scripts).filter(
    ([name]) => allowed.has('cgroup') || !name.startsWith('no environment'),
  )

  describe.each(seen)('%s', (_name, script) => {
    test('at its limit', async () => {
      const tag = newTag()
      const start = performance.now()
      const result = await run(['sh', '-c', script, tag], 0.5)
      expect(performance.now() - start).toBeLessThan(500 + 500 + 1_000)
      expect(result).toMatchObject({ outcome: 'timed_out', timed_out: true, survivors: [] })
      expect(left(tag)).toEqual([])
    })

    test('when it is cancelled', async () => {
      const tag = newTag()
      const controller = new AbortController()
      const running = executeToolCall(
        timeoutTool,
        { command_args: ['sh', '-c', script, tag], seconds: 30 },
        { signal: controller.signal },
      ).catch((error: unknown) => error)
      await new Promise((resolve) => setTimeout(resolve, 400))
      expect(left(tag).length).toBeGreaterThan(0)
      controller.abort()
      expect(await running).toMatchObject({ code: 'CANCELLED' })
      expect(left(tag)).toEqual([])
    })

    test('when the command exits by itself', async () => {
      const tag = newTag()
      // In the background, so that the command itself ends at once.
      const result = await run(['sh', '-c', `sh -c '${script}' $0 & sleep 0.2; exit 7`, tag], 10)
      expect(result).toMatchObject({ outcome: 'exited', exit_code: 7, timed_out: false, survivors: [] })
      expect(result.duration_ms).toBeLessThan(3_000)
      expect(left(tag)).toEqual([])
    })
  })

  test('endless output: bounded, counted, head and tail', async () => {
    const result = await run(['yes', 'curfew'], 0.5)
    expect(result).toMatchObject({ outcome: 'timed_out', stdout_truncated: true, survivors: [] })
    expect(result.stdout_bytes).toBeGreaterThan(1_000_000)
    expect(result.stdout.length).toBeLessThan(66_000)
    expect(result.stdout.startsWith('curfew\n')).toBe(true)
  })

  test('streams are told apart, bytes are counted, invalid UTF-8 does no harm', async () => {
    const result = await run(['sh', '-c', 'printf "out\\377"; printf err >&2; exit 3'], 5)
    expect(result).toMatchObject({
      outcome: 'exited',
      exit_code: 3,
      stdout: 'out\uFFFD',
      stderr: 'err',
      stdout_bytes: 4,
      stderr_bytes: 3,
      stdout_truncated: false,
    })
  })

  test('stdin is empty, and the environment has nothing that was not meant for it', async () => {
    process.env.CURFEW_TEST_SECRET = 'hidden'
    const result = await run(['sh', '-c', 'cat; env'], 5)
    delete process.env.CURFEW_TEST_SECRET
    expect(result.outcome).toBe('exited')
    expect(result.stdout).toContain('PATH=')
    expect(result.stdout).not.toContain('hidden')
  })

  test.each([
    ['no such command', ['curfew-no-such-command'], 'ENOENT'],
    ['not executable', ['/etc/passwd'], 'EACCES'],
    ['a directory', ['/tmp'], 'EACCES'],
    ['NUL bytes', ['echo', 'a\0b'], 'null bytes'],
  ])('%s: it was not started, and says why', async (_name, argv, why) => {
    expect(await run(argv, 5)).toMatchObject({ outcome: 'not_started', error: expect.stringContaining(why) })
  })

  test('100,000 arguments', async () => {
    const result = await run(['true', ...Array<string>(100_000).fill('x')], 10)
    expect(result.outcome).toMatch(/exited|not_started/)
  })

  test('dry_run runs nothing', async () => {
    const result = await executeToolCall(timeoutTool, { command_args: ['false'], seconds: 1, dry_run: true })
    expect(result).toMatchObject({
      outcome: 'not_started',
      error: expect.stringContaining('would run ["false"]'),
    })
  })

  test.each([
    ['no command', { command_args: [], seconds: 1 }],
    ['a command line instead of a list', { command_args: 'ls -l', seconds: 1 }],
    ['no limit', { command_args: ['ls'] }],
    ['a limit of zero', { command_args: ['ls'], seconds: 0 }],
  ])('%s is refused', async (_name, params) => {
    await expect(executeToolCall(timeoutTool, params)).rejects.toMatchObject({ code: 'INVALID_PARAMS' })
  })
})

describe.runIf(linux)('when the runtime itself is killed', () => {
  test.each(['auto', 'markers', 'namespace', 'markers,auto'])(
    'its commands go with it: %s',
    async (containment) => {
      const tag = newTag()
      const program = fileURLToPath(new URL('./fixtures/ten-commands.js', import.meta.url))
      const child = spawn(process.execPath, [program, tag, containment], { stdio: 'ignore' })
      const until = async (done: () => boolean): Promise<void> => {
        for (const deadline = performance.now() + 10_000; !done() && performance.now() < deadline; ) {
          await new Promise((resolve) => setTimeout(resolve, 20))
        }
      }
      await until(() => left(tag).filter((pid) => pid !== child.pid).length >= 30)
      child.kill('SIGKILL')
      await until(() => left(tag).length === 0)
      expect(left(tag)).toEqual([])
    },
  )
})

describe.runIf(linux)('output', () => {
  test('silence ends a command at its idle limit, output keeps it alive', async () => {
    const argv: [string, ...string[]] = ['sh', '-c', 'for i in 1 2 3; do echo $i; sleep 0.3; done; sleep 30']
    const result = await runProcess({ argv, idleMs: 700, timeoutMs: 20_000 })
    expect(result).toMatchObject({ outcome: 'timed_out', limit: 'idle', survivors: [] })
    expect(result.stdout.toString()).toBe('1\n2\n3\n')
    expect(result.durationMs).toBeGreaterThan(1_200)
  })

  test('the whole goes to a file on request, while memory keeps head and tail', async () => {
    const file = join(tmpdir(), `curfew-spill-${process.pid}`)
    const argv: [string, ...string[]] = ['sh', '-c', 'seq 1 2000000; echo end >&2']
    const result = await runProcess({ argv, spillTo: file })
    const written = readFileSync(file, 'latin1')
    rmSync(file)
    expect(result.stdout.bytes).toBe(14_888_896)
    expect(written.length).toBe(14_888_896 + 4)
    expect(result.stdout.toString().length).toBeLessThan(70_000)
    expect(result.stdout.toString().endsWith('2000000\n')).toBe(true)
  })

  test('a file that cannot be written does not hold up the command', async () => {
    const result = await runProcess({ argv: ['echo', 'hi'], spillTo: '/nonexistent/file', timeoutMs: 5_000 })
    expect(result).toMatchObject({ outcome: 'exited', exitCode: 0 })
  })
})

describe.runIf(linux && allowed.has('namespace'))('in a PID namespace', () => {
  test.each(Object.entries(scripts))('%s', async (_name, script) => {
    const tag = newTag()
    const argv: [string, ...string[]] = ['sh', '-c', script, tag]
    const atLimit = await runProcess({ argv, timeoutMs: 500, containment: 'namespace' })
    expect(atLimit).toMatchObject({ outcome: 'timed_out', containment: 'namespace', survivors: [] })
    expect(atLimit.durationMs).toBeLessThan(500 + 500 + 1_000)
    expect(left(tag)).toEqual([])
  })

  test('a command that ends by itself, with its exit code', async () => {
    const tag = newTag()
    const argv: [string, ...string[]] = ['sh', '-c', '(setsid sleep $0 &); exit 7', tag]
    expect(await runProcess({ argv, containment: 'namespace' })).toMatchObject({
      outcome: 'exited',
      exitCode: 7,
    })
    expect(left(tag)).toEqual([])
  })
})

describe.runIf(linux)('without a cgroup', () => {
  const { 'no environment, no descriptors, no session': unseen, ...seen } = scripts

  test.each(Object.entries(seen))('%s: markers find it', async (_name, script) => {
    const tag = newTag()
    const argv: [string, ...string[]] = ['sh', '-c', script, tag]
    const result = await runProcess({ argv, timeoutMs: 500, containment: 'markers' })
    expect(result).toMatchObject({ outcome: 'timed_out', containment: 'markers', survivors: [] })
    expect(left(tag)).toEqual([])
  })

  test('what has no environment, no descriptors and a session of its own is the one thing they cannot see', async () => {
    const tag = newTag()
    await runProcess({ argv: ['sh', '-c', unseen!, tag], timeoutMs: 500, containment: 'markers' })
    const missed = left(tag)
    for (const pid of missed) process.kill(pid, 'SIGKILL')
    expect(missed.length).toBeGreaterThan(0)
  })
})

describe.runIf(linux)('the timeout tool in a runtime', () => {
  test('its limit is seconds + grace; running out is a success; a shorter limit from outside still tells', async () => {
    const runtime = createRuntime({ approval: 'allow', maxToolCallTimeout: 1_500 })
    runtime.register(timeoutTool)
    const call = (id: string, seconds: number) => ({
      id,
      name: 'timeout',
      params: { command_args: ['sleep', '30'], seconds },
    })
    const [own, clamped] = await runtime.execute([call('own', 0.3), call('clamped', 20)])
    expect(own).toMatchObject({ status: 'success', timeoutMs: 800, value: { timed_out: true } })
    expect(clamped).toMatchObject({ status: 'success', timeoutMs: 1_500, value: { timed_out: true } })
    await runtime.close()
  })

  test('a cancelled command that ignores SIGTERM has the grace of a process: it is not abandoned', async () => {
    const tag = newTag()
    const runtime = createRuntime({ approval: 'allow' })
    runtime.register(timeoutTool)
    const command_args = ['sh', '-c', 'trap "" TERM; echo up; sleep $0; sleep $0', tag]
    const running = runtime.execute([{ id: '1', name: 'timeout', params: { command_args, seconds: 30 } }])
    setTimeout(() => runtime.cancelAll(), 400)
    const [result] = await running
    expect(result).toMatchObject({ status: 'cancelled', output: 'up\n' })
    expect(result).not.toHaveProperty('abandoned')
    expect(left(tag)).toEqual([])
    await runtime.close()
  })

  test('a large output with a file that cannot be written', async () => {
    const result = await runProcess({
      argv: ['seq', '1', '2000000'],
      spillTo: '/nonexistent/file',
      timeoutMs: 20_000,
    })
    expect(result).toMatchObject({ outcome: 'exited', exitCode: 0 })
    expect(result.stdout.bytes).toBe(14_888_896)
  })

  test('is not read-only, and rules see the command inside', async () => {
    const runtime = createRuntime({ approval: { rules: { allow: ['timeout(echo *)'] } } })
    runtime.register(timeoutTool)
    const results = await runtime.execute(
      [
        ['echo', 'hi'],
        ['rm', '-rf', 'x'],
      ].map((command_args, index) => ({
        id: `${index}`,
        name: 'timeout',
        params: { command_args, seconds: 5 },
      })),
    )
    expect(results).toMatchObject([{ status: 'success', output: 'hi\n' }, { code: 'DENIED' }])
    await runtime.close()
  })
})

describe('sleep and nice', () => {
  test('sleep waits, ends with its signal, and has a ceiling that nobody can raise', async () => {
    expect(await executeToolCall(sleepTool, { seconds: 0.05 })).toEqual({
      slept_seconds: 0.05,
      dry_run: false,
    })
    expect(await executeToolCall(sleepTool, { seconds: 300, dry_run: true })).toMatchObject({
      slept_seconds: 0,
    })
    const cancelled = executeToolCall(sleepTool, { seconds: 200 }, { signal: AbortSignal.timeout(30) })
    await expect(cancelled).rejects.toMatchObject({ code: 'CANCELLED' })
    await expect(executeToolCall(sleepTool, { seconds: 301 }, { timeout: '1d' })).rejects.toMatchObject({
      code: 'INVALID_PARAMS',
    })
    const runtime = createRuntime()
    runtime.register(sleepTool)
    const [result] = await runtime.execute([{ id: '1', name: 'sleep', params: { seconds: 0.01 } }])
    expect(result).toMatchObject({ status: 'success', timeoutMs: 510 })
  })

  test.runIf(linux)('nice lowers the priority', async () => {
    const result = await executeToolCall(niceTool, {
      command_args: ['sh', '-c', 'sleep 0.2; nice'],
      adjustment: 7,
    })
    expect(result).toMatchObject({ outcome: 'exited', stdout: '7\n' })
  })
})

async function run(command_args: string[], seconds: number): Promise<ProcessReport> {
  return await executeToolCall(timeoutTool, { command_args, seconds })
}
