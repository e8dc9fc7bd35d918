import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type CallResult, createRuntime, defineTool, type Runtime, type ToolContext } from '@curfew/core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

/** Real time: each of these would hang an agent that only asks politely. */
const limit = 150
const grace = 100

let runtime: Runtime
let spillDirectory: string

beforeEach(() => {
  spillDirectory = join(tmpdir(), `curfew-test-${process.pid}-${Math.random().toString(36).slice(2)}`)
  runtime = createRuntime({ approval: 'allow', toolCallTimeout: limit, grace, spillDirectory, log: () => {} })
})

afterEach(async () => {
  await runtime.close()
  await rm(spillDirectory, { recursive: true, force: true })
})

async function call(
  execute: (params: unknown, context: ToolContext) => unknown,
): Promise<CallResult & { wall: number }> {
  runtime.register(defineTool({ name: 'awkward', description: 'Be awkward.', execute }))
  const start = performance.now()
  const [result] = await runtime.execute([{ id: 'c1', name: 'awkward' }])
  return { ...result!, wall: performance.now() - start }
}

function expectOnTime(result: { wall: number }): void {
  expect(result.wall).toBeGreaterThan(limit - 5)
  expect(result.wall).toBeLessThan(limit + grace + 10_000)
}

describe('uncooperative tools end at their deadline', () => {
  test('never settles', async () => {
    const result = await call(() => new Promise(() => {}))
    expect(result).toMatchObject({ status: 'error', code: 'TOOL_TIMEOUT', abandoned: true, timeoutMs: limit })
    expectOnTime(result)
  })

  test('ignores the signal and settles much later: counted, never delivered', async () => {
    let settle = (_value: string): void => {}
    const result = await call(
      () =>
        new Promise<string>((resolve) => {
          settle = resolve
        }),
    )
    expect(result).toMatchObject({ status: 'error', code: 'TOOL_TIMEOUT', abandoned: true })
    expect(runtime.getSnapshot().late).toMatchObject({ abandoned: 1, abandonedRunning: 1, lateResults: 0 })
    settle('late')
    await expect
      .poll(() => runtime.getSnapshot().late)
      .toMatchObject({
        abandoned: 1,
        abandonedRunning: 0,
        lateResults: 1,
      })
    expect(runtime.getSnapshot().calls[0]).toMatchObject({ status: 'error', abandoned: true })
  })

  test('a value that arrives in the grace changes nothing, output that arrives in it is kept', async () => {
    const result = await call(
      (_params, { signal, output }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            output('cleaning up')
            resolve('too late')
          })
        }),
    )
    expect(result).toMatchObject({ status: 'error', code: 'TOOL_TIMEOUT', output: 'cleaning up' })
    expect(result).not.toHaveProperty('abandoned')
    expect(result).not.toHaveProperty('value')
    expect(result.wall).toBeLessThan(limit + grace + 10_000)
  })

  test('throws synchronously', async () => {
    const result = await call(() => {
      throw new Error('at once')
    })
    expect(result).toMatchObject({ status: 'error', code: 'TOOL_FAILED', message: 'at once' })
  })

  test('rejects with undefined', async () => {
    const result = await call(() => Promise.reject(undefined))
    expect(result).toMatchObject({ status: 'error', code: 'TOOL_FAILED' })
    expect(result.content).toContain('no reason given')
  })

  test('rejects with something that is not an error', async () => {
    const cyclic: Record<string, unknown> = {}
    cyclic.self = cyclic
    expect(await call(() => Promise.reject(cyclic))).toMatchObject({ status: 'error', code: 'TOOL_FAILED' })
  })

  test('settles twice', async () => {
    const result = await call(
      () =>
        new Promise((resolve, reject) => {
          resolve('first')
          resolve('second')
          reject(new Error('third'))
        }),
    )
    expect(result).toMatchObject({ status: 'success', value: 'first' })
  })

  test('a thenable that settles twice, and one whose then throws', async () => {
    const twice = {
      // biome-ignore lint/suspicious/noThenProperty: the point of the test
      then(resolve: (value: string) => void) {
        resolve('first')
        resolve('second')
      },
    }
    expect(await call(() => twice)).toMatchObject({ status: 'success', value: 'first' })
    runtime.register(
      defineTool({
        name: 'throwing_then',
        description: 'Return a broken thenable.',
        execute: () => ({
          // biome-ignore lint/suspicious/noThenProperty: the point of the test
          get then(): never {
            throw new Error('then is broken')
          },
        }),
      }),
    )
    const [result] = await runtime.execute([{ id: 'c1', name: 'throwing_then' }])
    expect(result).toMatchObject({ status: 'error', message: 'then is broken' })
  })

  test('emits output after its end', async () => {
    let emit: ((chunk: string) => void) | undefined
    const result = await call((_params, { output }) => {
      emit = output
      output('in time')
      return 'done'
    })
    emit!('too late')
    expect(result).toMatchObject({ status: 'success', output: 'in time' })
    expect(runtime.getSnapshot().late.lateOutputs).toBe(1)
    expect(runtime.getSnapshot().calls[0]!.outputTail).toBe('in time')
  })

  test('returns 200 MB: the value is unchanged, the content is capped, the rest is in a file', async () => {
    await runtime.close()
    runtime = createRuntime({ approval: 'allow', toolCallTimeout: '30s', spillDirectory, log: () => {} })
    const value = `begin${'x'.repeat(200 * 2 ** 20)}end`
    const result = await call(() => value)
    expect(result.status === 'success' && result.value === value).toBe(true)
    expect(result.content.length).toBeLessThanOrEqual(65_536)
    expect(result.content.startsWith('begin')).toBe(true)
    expect(result.content.endsWith('end')).toBe(true)
    const path = /the complete result is in (\S+) \.\.\.\]/.exec(result.content)?.[1]
    expect(path).toBeDefined()
    const written = await readFile(path!)
    expect(written.length).toBe(value.length)
  }, 60_000)

  test('the file of a long result is removed when the runtime is closed', async () => {
    await runtime.close()
    runtime = createRuntime({ approval: 'allow', log: () => {} })
    const result = await call(() => 'x'.repeat(100_000))
    const path = /the complete result is in (\S+) \.\.\.\]/.exec(result.content)![1]!
    expect((await readFile(path)).length).toBe(100_000)
    await runtime.close()
    expect(existsSync(dirname(path))).toBe(false)
  })

  test('returns 200 MB as bytes', async () => {
    await runtime.close()
    runtime = createRuntime({ approval: 'allow', toolCallTimeout: '30s', spillDirectory, log: () => {} })
    const result = await call(() => new Uint8Array(200 * 2 ** 20))
    expect(result.content).toMatch(/^\[binary result of 209715200 bytes; the complete result is in \S+\]$/)
  }, 60_000)

  test('the file of a long result does not outlive the deadline', async () => {
    const result = await call(() => 'x'.repeat(500 * 2 ** 20))
    expect(result.status).toBe('success')
    expect(result.wall).toBeLessThan(limit + 20_000)
  }, 60_000)

  test('emits without end: memory stays bounded and the head and the tail are kept', async () => {
    const result = await call(async (_params, { output, signal }) => {
      output('begin ')
      while (!signal.aborted) {
        for (let i = 0; i < 100; i++) output('0123456789'.repeat(100))
        await new Promise((resolve) => setImmediate(resolve))
      }
      output(' end')
    })
    expect(result).toMatchObject({ status: 'error', code: 'TOOL_TIMEOUT' })
    expect(result.output.length).toBeLessThan(70_000)
    expect(result.output.startsWith('begin ')).toBe(true)
    expect(result.output.endsWith(' end')).toBe(true)
    expect(result.output).toContain('characters omitted')
  })

  test('the runtime still works after all of them', async () => {
    await call(() => new Promise(() => {}))
    runtime.register(defineTool({ name: 'fine', description: 'Be fine.', readOnly: true, execute: () => 1 }))
    const [result] = await runtime.execute([{ id: 'c2', name: 'fine' }])
    expect(result).toMatchObject({ status: 'success', value: 1 })
  })
})
