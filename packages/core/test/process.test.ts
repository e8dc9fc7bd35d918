import { createRuntime, executeToolCall, niceTool, sleepTool, timeoutTool } from '@curfew/core'
import type { ProcessReport } from '@curfew/core/internal'
import { describe, expect, test } from 'vitest'
import { left, linux, newTag } from '../../../test/support/processes.ts'
import { until } from '../../../test/support/until.ts'

describe.runIf(linux)('the timeout tool', () => {
  test('long output: bounded, counted, head and tail', async () => {
    const result = await run(['sh', '-c', 'yes curfew | head -c 5000000'], 30)
    expect(result).toMatchObject({ outcome: 'exited', stdout_truncated: true, survivors: [] })
    expect(result.stdout_bytes).toBe(5_000_000)
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
    ['no such program', ['curfew-no-such-command'], 'there is no program "curfew-no-such-command"'],
    ['not executable', ['/etc/passwd'], '"/etc/passwd" is not executable'],
    ['a directory', ['/tmp'], '"/tmp" is not executable'],
    ['NUL bytes', ['echo', 'a\0b'], 'null bytes'],
  ])('%s: an error that says why, and not a success that ran nothing', async (_name, argv, why) => {
    const runtime = createRuntime({ approval: 'allow' })
    runtime.register(timeoutTool, niceTool)
    const params = { command_args: argv, seconds: 5 }
    const results = await runtime.execute(['timeout', 'nice'].map((name) => ({ id: name, name, params })))
    for (const result of results) {
      expect(result).toMatchObject({ status: 'error', code: 'TOOL_FAILED', retrySafe: true })
      expect(result.content).toContain(`${result.name} did not run: `)
      expect(result.content).toContain(why)
    }
    await runtime.close()
  })

  test('100,000 arguments', async () => {
    const running = run(['true', ...Array<string>(100_000).fill('x')], 10)
    const outcome = await running.then(
      (result) => result.outcome,
      (error) => error.code,
    )
    expect(outcome).toMatch(/exited|TOOL_FAILED/)
  })

  test('a dry run says that it is one, and is no error', async () => {
    const result = await executeToolCall(timeoutTool, { command_args: ['false'], seconds: 1, dry_run: true })
    expect(result).toMatchObject({ outcome: 'not_started', dry_run: true, command_args: ['false'] })
    expect(result).not.toHaveProperty('error')
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

// The grace for processes is fixed, and a busy machine may need longer to end what was killed.
describe.runIf(linux)('the timeout tool in a runtime', { retry: 3 }, () => {
  test('its limit is seconds + grace; running out is a success; a shorter limit from outside still tells', async () => {
    const runtime = createRuntime({ approval: 'allow', maxToolCallTimeout: 4_000 })
    runtime.register(timeoutTool)
    const call = (id: string, seconds: number) => ({
      id,
      name: 'timeout',
      params: { command_args: ['sleep', '30'], seconds },
    })
    const [own, clamped] = await runtime.execute([call('own', 0.3), call('clamped', 20)])
    expect(own).toMatchObject({
      status: 'success',
      timeoutMs: 800,
      value: { timed_out: true, limit: 'seconds', limit_ms: 300 },
    })
    expect(clamped).toMatchObject({
      status: 'success',
      timeoutMs: 4_000,
      value: { timed_out: true, limit: 'maxToolCallTimeout in the configuration', limit_ms: 4_000 },
    })
    await runtime.close()
  })

  test.each(['timeout', 'nice'])(
    '%s under a shorter limit gets nine tenths of it, not almost nothing',
    async (name) => {
      const runtime = createRuntime({ approval: 'allow' })
      runtime.register(timeoutTool, niceTool)
      const params = { command_args: ['sh', '-c', 'echo up; sleep 30'], seconds: 20 }
      const [result] = await runtime.execute([{ id: '1', name, params, timeout: 4_000 }])
      expect(result).toMatchObject({
        status: 'success',
        value: { timed_out: true, limit: 'set on the call', limit_ms: 4_000, stdout: 'up\n' },
      })
      const { duration_ms } = (result as { value: ProcessReport }).value
      expect(duration_ms).toBeGreaterThan(3_500)
      await runtime.close()
    },
  )

  test('a cancelled command that ignores SIGTERM has the grace of a process: it is not abandoned', async () => {
    const tag = newTag()
    const runtime = createRuntime({ approval: 'allow' })
    runtime.register(timeoutTool)
    const command_args = ['sh', '-c', 'trap "" TERM; echo up; sleep $0; sleep $0', tag]
    const running = runtime.execute([{ id: '1', name: 'timeout', params: { command_args, seconds: 30 } }])
    // The shell and its sleep.
    await until(() => left(tag).length === 2)
    runtime.cancelAll()
    const [result] = await running
    expect(result).toMatchObject({ status: 'cancelled', output: 'up\n' })
    expect(result).not.toHaveProperty('abandoned')
    expect(left(tag)).toEqual([])
    await runtime.close()
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
      command_args: ['sh', '-c', 'nice & sleep 0.2; nice; wait'],
      adjustment: 7,
    })
    expect(result).toMatchObject({ outcome: 'exited', stdout: '7\n7\n' })
  })
})

async function run(command_args: string[], seconds: number): Promise<ProcessReport> {
  return await executeToolCall(timeoutTool, { command_args, seconds })
}
