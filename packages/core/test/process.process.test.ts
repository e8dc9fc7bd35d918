import { createRuntime, executeToolCall, niceTool, sleepTool, timeoutTool } from '@curfew/core'
import type { ProcessReport } from '@curfew/core/internal'
import { describe, expect, test } from 'vitest'
import { left, linux, newTag } from '../../../test/support/processes.ts'
import { until } from '../../../test/support/until.ts'

describe.runIf(linux)('the timeout tool', () => {
  test('bounds long output to head and tail, and counts it', async () => {
    const result = await run(['sh', '-c', 'yes curfew | head -c 5000000'], 30)
    expect(result).toMatchObject({ outcome: 'exited', stdout_truncated: true, survivors: [] })
    expect(result.stdout_bytes).toBe(5_000_000)
    expect(result.stdout.length).toBeLessThan(66_000)
    expect(result.stdout.startsWith('curfew\n')).toBe(true)
  })

  test('separates the streams, counts bytes and replaces invalid UTF-8', async () => {
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

  test('has an empty stdin and a reduced environment', async () => {
    process.env.CURFEW_TEST_SECRET = 'hidden'
    const result = await run(['sh', '-c', 'cat; env'], 5)
    delete process.env.CURFEW_TEST_SECRET
    expect(result.outcome).toBe('exited')
    expect(result.stdout).toContain('PATH=')
    expect(result.stdout).not.toContain('hidden')
  })

  test.each([
    ['no such program', ['curfew-no-such-command'], 'curfew-no-such-command'],
    ['not executable', ['/etc/passwd'], '/etc/passwd'],
    ['a directory', ['/tmp'], '/tmp'],
    ['NUL bytes', ['echo', 'a\0b'], 'null bytes'],
  ])('reports why a command cannot be started: %s', async (_name, argv, mentioned) => {
    const runtime = createRuntime({ approval: 'allow' })
    runtime.register(timeoutTool, niceTool)
    const params = { command_args: argv, seconds: 5 }
    const results = await runtime.execute(['timeout', 'nice'].map((name) => ({ id: name, name, params })))
    for (const result of results) {
      expect(result).toMatchObject({ status: 'error', code: 'TOOL_FAILED', retrySafe: true })
      expect(result.content).toContain(mentioned)
    }
    await runtime.close()
  })

  test('runs or rejects a command with 100,000 arguments', async () => {
    const running = run(['true', ...Array<string>(100_000).fill('x')], 10)
    const outcome = await running.then(
      (result) => result.outcome,
      (error) => error.code,
    )
    expect(outcome).toMatch(/exited|TOOL_FAILED/)
  })

  test('marks the result of a dry run', async () => {
    const result = await executeToolCall(timeoutTool, { command_args: ['false'], seconds: 1, dry_run: true })
    expect(result).toMatchObject({ outcome: 'not_started', dry_run: true, command_args: ['false'] })
    expect(result).not.toHaveProperty('error')
  })

  test.each([
    ['no command', { command_args: [], seconds: 1 }],
    ['a command line instead of an array', { command_args: 'ls -l', seconds: 1 }],
    ['no limit', { command_args: ['ls'] }],
    ['a limit of zero', { command_args: ['ls'], seconds: 0 }],
  ])('rejects %s', async (_name, params) => {
    await expect(executeToolCall(timeoutTool, params)).rejects.toMatchObject({ code: 'INVALID_PARAMS' })
  })
})

// The grace period is fixed, and on a busy machine a killed process may take longer to disappear.
describe.runIf(linux)('the timeout tool in a runtime', () => {
  test('has a limit of seconds + grace, and reports which limit applied', async () => {
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
      timeoutMs: 2_300,
      value: { timed_out: true, limit: 'seconds', limit_ms: 300 },
    })
    expect(clamped).toMatchObject({
      status: 'success',
      timeoutMs: 4_000,
      value: { timed_out: true, limit: 'maxToolCallTimeout in the configuration', limit_ms: 4_000 },
    })
    await runtime.close()
  })

  test.each(['timeout', 'nice'])('%s gets nine tenths of a shorter limit', async (name) => {
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
  })

  test('does not abandon a cancelled command that ignores SIGTERM', async () => {
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

  test('is not read-only, and rules match its command', async () => {
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
  test('sleep waits, can be cancelled, and has a fixed maximum', async () => {
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
