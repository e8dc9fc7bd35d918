import type { CallRow, Question, Runtime, Turn } from '@curfew/core'

interface CallWatcher {
  /** A call of the turn, or one inside it, started, changed or ended. */
  onCall(row: CallRow): void
  /** Whether one of them waits for a person. */
  onWaiting(waiting: boolean): void
}

/** Reports the calls of a turn and everything inside them. Returns a function that stops it. */
export function watchCalls(runtime: Runtime, turn: Turn, watcher: CallWatcher): () => void {
  /** The last row that was reported, by uid. */
  const reported = new Map<number, CallRow>()
  const report = (row: CallRow): void => {
    if (reported.get(row.uid) === row) return
    const isInside = row.turn === turn.id || (row.parentUid !== null && reported.has(row.parentUid))
    if (!isInside) return
    reported.set(row.uid, row)
    watcher.onCall(row)
  }
  const isInTurn = ({ callUid, conversation }: Question): boolean => {
    if (callUid !== null && reported.has(callUid)) return true
    if (conversation !== turn.conversation.id) return false
    // A question of the conversation itself, not of a call that a person typed meanwhile.
    return callUid === null || runtime.getCall(callUid)?.conversation !== conversation
  }
  // Changes of state are reported at once, so that none is reported after the end of the turn; output and progress by frame.
  const stopObserving = runtime.onTransition(({ uid }) => {
    const row = runtime.getCall(uid)
    if (row !== undefined) report(row)
  })
  const unsubscribe = runtime.subscribe(({ changed }) => {
    for (const row of changed) report(row)
    watcher.onWaiting(runtime.getSnapshot().questions.some(isInTurn))
  })
  return () => {
    stopObserving()
    unsubscribe()
  }
}
