import { createRuntime } from '@curfew/core'
import { expect, test } from 'vitest'
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
