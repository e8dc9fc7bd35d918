import { createFakeClock } from '@curfew/core/testing'
import { expect, test, vi } from 'vitest'
import type { HistoryResult } from '../history/history-item.ts'
import { createResultSaver } from './result-saver.ts'

const result: HistoryResult = { callId: 'a', name: 'read', status: 'success', content: 'text' }

test('saves the text of a result', async () => {
  const clock = createFakeClock()
  const saveText = vi.fn(async () => '/spill/a')
  const saver = createResultSaver({ saveText }, { clock, signal: new AbortController().signal })
  expect(await saver.save(result)).toBe('/spill/a')
  expect(saveText).toHaveBeenCalledWith('read', 'text', expect.anything())
  // Still in its file.
  expect(await saver.save({ ...result, spillPath: import.meta.filename })).toBe(import.meta.filename)
  expect(saveText).toHaveBeenCalledTimes(1)
  expect(await saver.save({ ...result, spillPath: '/gone' })).toBe('/spill/a')
  saver.close()
  expect(clock.pending).toBe(0)
})

test('a failure is no reason to stop', async () => {
  const saver = createResultSaver(
    { saveText: () => Promise.reject(new Error('disk full')) },
    { clock: createFakeClock(), signal: new AbortController().signal },
  )
  expect(await saver.save(result)).toBeNull()
})

test.each(['time', 'abort'])('does not wait for a disk that does not respond: %s', async (reason) => {
  const clock = createFakeClock()
  const controller = new AbortController()
  const saveText = vi.fn(() => new Promise<string>(() => {}))
  const saver = createResultSaver({ saveText }, { clock, signal: controller.signal })
  const saving = saver.save(result)
  await Promise.resolve()
  if (reason === 'abort') controller.abort()
  else await clock.advance(10_000)
  expect(await saving).toBeNull()
  // Nothing more is tried.
  expect(await saver.save(result)).toBeNull()
  expect(saveText).toHaveBeenCalledTimes(1)
  saver.close()
  expect(clock.pending).toBe(0)
})
