import { createRuntime, type Runtime, type Transition } from '@curfew/core'
import { createFakeClock, scriptedTool } from '@curfew/core/testing'
import type { Journal } from '@curfew/journal'
import { expect, test } from 'vitest'
import { DeferredJournal } from './deferred-journal.ts'

function setUp() {
  const clock = createFakeClock()
  const runtime = createRuntime({ clock, approval: 'allow' })
  runtime.register(scriptedTool({ clock, name: 'fine', script: [] }))
  const events: string[] = []
  const journal = {
    attach: (runtime: Runtime) => runtime.onTransition(({ to }: Transition) => events.push(to)),
    close: async () => void events.push('closed'),
    opened: async () => {},
  } as unknown as Journal
  const deferred = new DeferredJournal(() => {
    events.push('started')
    return journal
  })
  const call = (): Promise<unknown> =>
    clock.runUntil(runtime.execute([{ id: 'c', name: 'fine', params: {} }]))
  return { runtime, events, deferred, call }
}

test('is started with the first call, and gets all of its transitions, once', async () => {
  const { runtime, events, deferred, call } = setUp()
  deferred.attach(runtime)
  expect(events).toEqual([])
  await call()
  expect(events).toEqual(['started', 'validating', 'scheduled', 'executing', 'success'])
  await deferred.close()
  expect(events.at(-1)).toBe('closed')
})

test('a runtime that is attached later is recorded as well', async () => {
  const { runtime, events, deferred, call } = setUp()
  deferred.start()
  deferred.attach(runtime)
  await call()
  expect(events).toEqual(['started', 'validating', 'scheduled', 'executing', 'success'])
  await deferred.close()
})

test('one that was never started is not started by its end', async () => {
  const { runtime, events, deferred, call } = setUp()
  deferred.attach(runtime)
  await deferred.close()
  await deferred.opened()
  await call()
  expect(events).toEqual([])
})
