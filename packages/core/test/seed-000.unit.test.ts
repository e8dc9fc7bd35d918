import { createRuntime, defineTool, executeToolCall, ToolTimeoutError } from '@curfew/core'
import { createFakeClock, scriptedTool } from '@curfew/core/testing'
import { describe, expect, test } from 'vitest'

/** The three scenarios of the project's first verification plan. */
describe('verification plan: the executor', () => {
  test('Test Global Timeout', async () => {
    const clock = createFakeClock()
    const tool = scriptedTool({ clock, name: 'slow', script: [{ wait: 5_000 }] })
    const call = executeToolCall(tool, {}, { toolCallTimeout: 1_000, clock })
    const error = await clock.runUntil(call.catch((thrown: unknown) => thrown))
    expect(error).toBeInstanceOf(ToolTimeoutError)
    expect(error).toMatchObject({
      code: 'TOOL_TIMEOUT',
      limitMs: 1_000,
      source: 'toolCallTimeout',
      toolName: 'slow',
    })
    expect(clock.now()).toBe(1_000)
    expect(clock.pending).toBe(0)
  })

  test('Test Global Timeout: 180 s by default', async () => {
    const clock = createFakeClock()
    const call = executeToolCall(scriptedTool({ clock, script: [{ hang: true }] }), {}, { clock })
    const error = await clock.runUntil(call.catch((thrown: unknown) => thrown))
    expect(error).toMatchObject({ code: 'TOOL_TIMEOUT', limitMs: 180_000, source: 'default' })
    expect(clock.now()).toBe(180_000)
  })

  test('Test Tool-Specific Timeout Override', async () => {
    const clock = createFakeClock()
    const tool = scriptedTool({ clock, name: 'slow', timeout: 500, script: [{ wait: 700 }] })
    const call = executeToolCall(tool, {}, { toolCallTimeout: 1_000, clock })
    const error = await clock.runUntil(call.catch((thrown: unknown) => thrown))
    expect(error).toBeInstanceOf(ToolTimeoutError)
    expect(error).toMatchObject({ limitMs: 500, source: 'tool' })
    expect(clock.now()).toBe(500)
  })

  test('Test No Timeout', async () => {
    const clock = createFakeClock()
    const tool = scriptedTool({ clock, script: [{ wait: 300 }, { return: { words: 2 } }] })
    const value = await clock.runUntil(executeToolCall(tool, {}, { toolCallTimeout: 1_000, clock }))
    expect(value).toEqual({ words: 2 })
    expect(clock.pending).toBe(0)
  })

  test('the signal is aborted with the ToolTimeoutError as its reason', async () => {
    const clock = createFakeClock()
    const reasons: unknown[] = []
    const tool = defineTool({
      name: 'listens',
      description: 'Listen to the signal.',
      execute: (_params, { signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            reasons.push(signal.reason)
            reject(signal.reason)
          })
        }),
    })
    const error = await clock.runUntil(
      executeToolCall(tool, {}, { timeout: 50, clock }).catch((e: unknown) => e),
    )
    expect(reasons).toEqual([error])
  })

  test('cancellation is not reported as a timeout, and parameters are validated', async () => {
    const clock = createFakeClock()
    const tool = scriptedTool({ clock, script: [{ hang: true }] })
    const controller = new AbortController()
    const call = executeToolCall(tool, {}, { signal: controller.signal, clock }).catch((e: unknown) => e)
    controller.abort('enough')
    expect(await clock.runUntil(call)).toMatchObject({ code: 'CANCELLED', cause: 'enough' })
    await expect(executeToolCall(tool, 'text', { clock })).rejects.toMatchObject({ code: 'INVALID_PARAMS' })
    await expect(executeToolCall(tool, {}, { timeout: -1, clock })).rejects.toMatchObject({
      code: 'INVALID_DURATION',
      field: 'timeout',
    })
    await expect(executeToolCall(tool, {}, { signal: AbortSignal.abort(), clock })).rejects.toMatchObject({
      code: 'CANCELLED',
    })
  })
})

describe('verification plan: the same through the runtime', () => {
  test.each([
    ['Test Global Timeout', { wait: 5_000 }, undefined, 'TOOL_TIMEOUT', 1_000, 'toolCallTimeout'],
    ['Test Tool-Specific Timeout Override', { wait: 700 }, 500, 'TOOL_TIMEOUT', 500, 'tool'],
    ['Test No Timeout', { wait: 300 }, undefined, undefined, 1_000, 'toolCallTimeout'],
  ] as const)('%s', async (_name, step, timeout, code, timeoutMs, timeoutSource) => {
    const clock = createFakeClock()
    const runtime = createRuntime({ toolCallTimeout: 1_000, approval: 'allow', clock })
    runtime.register(scriptedTool({ clock, script: [step, { return: 'done' }], ...(timeout && { timeout }) }))
    const [result] = await clock.runUntil(runtime.execute([{ id: 'c1', name: 'scripted' }]))
    expect(result).toMatchObject({ timeoutMs, timeoutSource, ...(code ? { code } : { value: 'done' }) })
    expect(clock.pending).toBe(0)
  })
})
