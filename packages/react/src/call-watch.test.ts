import type { CallRow } from '@curfew/core/rows'
import { expect, test } from 'vitest'
import { rowOf } from '../test/support/row-of.ts'
import { watchCall } from './call-watch.ts'
import type { CallSource } from './sources.ts'

/** A source that notifies only on request, as a runtime does at the end of a turn of the event loop. */
function setUp() {
  let calls: readonly CallRow[] = [rowOf(1)]
  const listeners = new Set<() => void>()
  const source: CallSource = {
    getSnapshot: () => ({ revision: 0, calls, questions: [] }),
    getCall: (uid) => calls.find((row) => row.uid === uid),
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    subscribeCall: () => () => {},
  }
  const set = (...uids: readonly number[]): void => {
    calls = uids.map((uid) => rowOf(uid))
  }
  const notify = (): void => {
    for (const listener of listeners) listener()
  }
  return { source, listeners, set, notify }
}

test('a call that was known only between two notifications is reported as removed', () => {
  const { source, set, notify } = setUp()
  watchCall(source, 1, () => {})
  notify()
  set(1, 2)
  let notified = 0
  watchCall(source, 2, () => notified++)
  set(1)
  notify()
  expect(notified).toBe(1)
  notify()
  expect(notified).toBe(1)
})

test('all watched calls share one subscription, which ends with the last', () => {
  const { source, listeners } = setUp()
  const unsubscribes = [1, 1, 2, 3].map((uid) => watchCall(source, uid, () => {}))
  expect(listeners.size).toBe(1)
  // Twice, because removing a listener again must not affect the others.
  for (const unsubscribe of unsubscribes.slice(1)) unsubscribe()
  for (const unsubscribe of unsubscribes.slice(1)) unsubscribe()
  expect(listeners.size).toBe(1)
  unsubscribes[0]!()
  expect(listeners.size).toBe(0)
  watchCall(source, 1, () => {})()
  expect(listeners.size).toBe(0)
})

test('no call is watched without a uid', () => {
  const { source, listeners } = setUp()
  watchCall(source, null, () => {})()
  expect(listeners.size).toBe(0)
})
