import type { CallRow } from '../call/call-row.ts'
import type { Question } from '../call/question.ts'
import { Listeners } from '../collections/listeners.ts'
import type { CallDelta, CallSnapshot } from './call-delta.ts'
import { indexOfUid, patchRows, sortRows } from './patch-rows.ts'
import { isDelta, isSnapshot } from './read-delta.ts'

/** A copy of a runtime's calls and open questions, kept up to date with the deltas of `runtime.subscribe`. */
export interface Mirror {
  /** Replaces everything. Returns false, and changes nothing, if it is not a snapshot. */
  reset(snapshot: unknown): boolean
  /**
   * Applies a delta, parsed from JSON. Returns false, and changes nothing, if it is not a delta or if earlier ones are
   * missing: request the changes since `getSnapshot().revision`, or a snapshot.
   */
  apply(delta: unknown): boolean
  /** The same object while nothing changes. */
  getSnapshot(): CallSnapshot
  getCall(uid: number): CallRow | undefined
  /** Calls the listener after every change. Returns an unsubscribe function. */
  subscribe(listener: () => void): () => void
  /** Calls the listener when this call's row has changed. Returns an unsubscribe function. */
  subscribeCall(uid: number, listener: (row: CallRow) => void): () => void
}

/** Creates an empty mirror, which needs a snapshot first. */
export function createMirror(): Mirror {
  let snapshot: CallSnapshot = { revision: -1, calls: [], questions: [] }
  const listeners = new Listeners<void>(reportLater)
  const callListeners = new Map<number, Listeners<CallRow>>()

  function update(next: CallSnapshot, changed: readonly CallRow[]): void {
    snapshot = next
    if (callListeners.size > 0) {
      for (const row of changed) callListeners.get(row.uid)?.notify(row)
    }
    listeners.notify()
  }

  return {
    reset(next) {
      if (!isSnapshot(next)) return false
      const { revision, calls, questions } = next
      update({ revision, calls: sortRows(calls), questions }, calls)
      return true
    },

    apply(delta) {
      if (!isDelta(delta) || snapshot.revision < 0 || delta.from > snapshot.revision) return false
      // Applying it again would replace newer rows of a snapshot with older ones.
      const isKnown = delta.revision <= snapshot.revision && delta.from !== snapshot.revision
      if (!isKnown) update(patch(snapshot, delta), delta.changed)
      return true
    },

    getSnapshot: () => snapshot,
    getCall: (uid) => snapshot.calls[indexOfUid(snapshot.calls, uid)],
    subscribe: (listener) => listeners.add(() => listener()),

    subscribeCall(uid, listener) {
      const ofCall = callListeners.get(uid) ?? new Listeners<CallRow>(reportLater)
      callListeners.set(uid, ofCall)
      const remove = ofCall.add(listener)
      return () => {
        remove()
        if (ofCall.size === 0 && callListeners.get(uid) === ofCall) callListeners.delete(uid)
      }
    },
  }
}

function patch({ calls, questions }: CallSnapshot, delta: CallDelta): CallSnapshot {
  const { revision, changed, removed, opened, closed } = delta
  return {
    revision,
    calls: changed.length === 0 && removed.length === 0 ? calls : patchRows(calls, changed, removed),
    questions: opened.length === 0 && closed.length === 0 ? questions : patchQuestions(questions, delta),
  }
}

function patchQuestions(questions: readonly Question[], { opened, closed }: CallDelta): readonly Question[] {
  const isReplaced = ({ id }: Question): boolean =>
    closed.includes(id) || opened.some((question) => question.id === id)
  const patched = [...questions.filter((question) => !isReplaced(question)), ...opened]
  return patched.sort((one, other) => one.id - other.id)
}

/** As an unhandled rejection: an error in one listener must affect neither the others nor the mirror. */
function reportLater(error: unknown): void {
  void Promise.reject(error)
}
