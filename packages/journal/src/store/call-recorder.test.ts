import { createRuntime, defineTool } from '@curfew/core'
import { expect, test, vi } from 'vitest'
import { callColumns } from './call-columns.ts'
import { CallRecorder } from './call-recorder.ts'

test('while nothing can be written, finished calls are not kept', async () => {
  const recorder = new CallRecorder()
  const added: unknown[] = []
  let wasChanged = false
  recorder.sink = {
    isActive: true,
    add: (call) => added.push(call),
    addLateEnd() {},
    schedule() {
      wasChanged ||= recorder.hasChanged
    },
  }
  const runtime = createRuntime({ log: () => {} })
  recorder.attach(runtime, () => null)
  await runtime.execute([{ id: '1', name: 'unknown' }])
  expect(added).toHaveLength(1)
  expect(wasChanged).toBe(true)
  expect(recorder.hasChanged).toBe(false)
  expect(recorder.takeChanged(10)).toEqual([])
  await runtime.close()
})

test('the output of a running call is recorded within 100 ms, however often it prints', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  try {
    const recorder = new CallRecorder()
    recorder.sink = { isActive: true, add() {}, addLateEnd() {}, schedule() {} }
    const runtime = createRuntime({ log: () => {}, approval: 'allow' })
    recorder.attach(runtime, () => null)
    let print = (_text: string): void => {}
    runtime.register(
      defineTool({
        name: 'wait',
        description: 'Wait.',
        execute: (_params, { output, signal }) => {
          print = output
          return new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason))
          })
        },
      }),
    )
    const ended = runtime.execute([{ id: '1', name: 'wait' }])
    await vi.advanceTimersByTimeAsync(0)
    expect(recorder.takeChanged(10)).toHaveLength(1)
    for (let line = 1; line <= 1_000; line++) print(`line ${line}\n`)
    expect(recorder.takeChanged(10)).toEqual([])
    await vi.advanceTimersByTimeAsync(100)
    const [record] = recorder.takeChanged(10)
    expect(record?.[callColumns.indexOf('output_tail')]).toMatch(/line 999\nline 1000\n$/)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(recorder.takeChanged(10)).toEqual([])
    recorder.close()
    await runtime.close()
    await ended
  } finally {
    vi.useRealTimers()
  }
})
