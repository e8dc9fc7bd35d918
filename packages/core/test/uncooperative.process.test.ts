import { existsSync, mkdtempSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import {
  type CallResult,
  createRuntime,
  defineTool,
  type Runtime,
  type RuntimeOptions,
  type ToolContext,
  toolResult,
} from '@curfew/core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

/** Uses real time. */
const limit = 150
const grace = 100

let runtime: Runtime
let spillDirectory: string
let logged: Parameters<NonNullable<RuntimeOptions['log']>>[0][]

beforeEach(() => {
  spillDirectory = mkdtempSync(join(tmpdir(), 'curfew-test-'))
  logged = []
  runtime = createRuntime({
    approval: 'allow',
    toolCallTimeout: limit,
    grace,
    spillDirectory,
    log: (entry) => logged.push(entry),
  })
})

afterEach(async () => {
  await runtime.close()
  await rm(spillDirectory, { recursive: true, force: true })
})

async function call(
  execute: (params: unknown, context: ToolContext) => unknown,
): Promise<CallResult & { wall: number }> {
  const unregister = runtime.register(defineTool({ name: 'awkward', description: 'Be awkward.', execute }))
  const start = performance.now()
  const [result] = await runtime.execute([{ id: 'c1', name: 'awkward' }])
  const wall = performance.now() - start
  unregister()
  return { ...result!, wall }
}

function expectOnTime(result: { wall: number }): void {
  expect(result.wall).toBeGreaterThan(limit - 5)
  expect(result.wall).toBeLessThan(limit + grace + 10_000)
}

describe('the runtime ends calls to uncooperative tools', () => {
  test('that never settle', async () => {
    const result = await call(() => new Promise(() => {}))
    expect(result).toMatchObject({ status: 'error', code: 'TOOL_TIMEOUT', abandoned: true, timeoutMs: limit })
    expectOnTime(result)
  })

  test('that settle later: the result is counted and dropped', async () => {
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

  test('that settle in the grace period: output is kept, the value is dropped', async () => {
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

  test('that throw synchronously', async () => {
    const result = await call(() => {
      throw new Error('synchronous')
    })
    expect(result).toMatchObject({ status: 'error', code: 'TOOL_FAILED', message: 'synchronous' })
  })

  test('that reject with undefined', async () => {
    const result = await call(() => Promise.reject(undefined))
    expect(result).toMatchObject({ status: 'error', code: 'TOOL_FAILED' })
    expect(result.content).toContain('no reason given')
  })

  test('that reject with a value that is not an error', async () => {
    const cyclic: Record<string, unknown> = {}
    cyclic.self = cyclic
    expect(await call(() => Promise.reject(cyclic))).toMatchObject({ status: 'error', code: 'TOOL_FAILED' })
  })

  test('that return an error instead of throwing it', async () => {
    const result = await call(() => new TypeError('no such table'))
    expect(result).toMatchObject({ status: 'error', code: 'TOOL_FAILED', message: 'no such table' })
  })

  test('that return half of a character and NUL: the model reads neither', async () => {
    const result = await call(() => '\ud83d before \0 after')
    expect(result).toMatchObject({ status: 'success', content: '\ufffd before \ufffd after' })
    const text = '\ud83d\0'
    const parts = await call(() => toolResult({ parts: [{ type: 'text', text }] }))
    expect(parts).toMatchObject({ parts: [{ type: 'text', text: '\ufffd\ufffd' }] })
    const failed = await call(() => Promise.reject(new Error(text)))
    expect(failed.content).toMatch(/^TOOL_FAILED: \ufffd\ufffd\./)
  })

  test('whose abort listeners throw: each is reported, and the process goes on', async () => {
    const listener = { handleEvent: () => expect.unreachable('it was removed') }
    const result = await call((_, { signal }) => {
      signal.addEventListener('abort', () => {
        throw new Error('thrown by a listener')
      })
      signal.addEventListener('abort', async () => {
        throw new Error('rejected by a listener')
      })
      signal.onabort = () => {
        throw new Error('thrown by onabort')
      }
      signal.addEventListener('abort', listener)
      signal.removeEventListener('abort', listener)
      return new Promise(() => {})
    })
    expect(result).toMatchObject({ status: 'error', code: 'TOOL_TIMEOUT' })
    expect(logged.filter(({ message }) => message === 'an abort listener of awkward threw')).toMatchObject(
      ['thrown by a listener', 'thrown by onabort', 'rejected by a listener'].map((message) => ({
        error: new Error(message),
      })),
    )
  })

  test('that settle twice', async () => {
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

  test('that return a thenable that settles twice, or one whose then throws', async () => {
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

  test('that emit output after their end', async () => {
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

  test('that return 200 MB: the value is unchanged, the content is capped, and a file contains all of it', async () => {
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

  test('that return a long result: its temporary file is removed with the runtime', async () => {
    await runtime.close()
    runtime = createRuntime({ approval: 'allow', log: () => {} })
    const result = await call(() => 'x'.repeat(100_000))
    const path = /the complete result is in (\S+) \.\.\.\]/.exec(result.content)![1]!
    expect((await readFile(path)).length).toBe(100_000)
    await runtime.close()
    expect(existsSync(dirname(path))).toBe(false)
  })

  test('that return 200 MB as bytes', async () => {
    await runtime.close()
    runtime = createRuntime({ approval: 'allow', toolCallTimeout: '30s', spillDirectory, log: () => {} })
    const result = await call(() => new Uint8Array(200 * 2 ** 20))
    expect(result.content).toMatch(/^\[binary result of 209715200 bytes; the complete result is in \S+\]$/)
  }, 60_000)

  test('that return a result too long to be written before the deadline', async () => {
    const result = await call(() => 'x'.repeat(500 * 2 ** 20))
    expect(result.status).toBe('success')
    expect(result.wall).toBeLessThan(limit + 20_000)
  }, 60_000)

  test('that emit endless output: memory is bounded, and head and tail are kept', async () => {
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

  test('and the runtime still works afterwards', async () => {
    await call(() => new Promise(() => {}))
    runtime.register(defineTool({ name: 'fine', description: 'Be fine.', readOnly: true, execute: () => 1 }))
    const [result] = await runtime.execute([{ id: 'c2', name: 'fine' }])
    expect(result).toMatchObject({ status: 'success', value: 1 })
  })
})
