import type { CallSource } from '@curfew/react'

export interface CountedSource extends CallSource {
  /** The number of listeners now. */
  readonly listeners: { all: number; ofCalls: number }
  /** How often a row was read. */
  reads: number
}

/** Passes everything on to a source and counts who listens. */
export function countedSource(source: CallSource): CountedSource {
  const listeners = { all: 0, ofCalls: 0 }
  const counted = (kind: keyof typeof listeners, unsubscribe: () => void): (() => void) => {
    let isActive = true
    listeners[kind]++
    return () => {
      if (!isActive) return
      isActive = false
      listeners[kind]--
      unsubscribe()
    }
  }
  const { readOutput } = source
  return {
    listeners,
    reads: 0,
    getSnapshot: () => source.getSnapshot(),
    getCall(uid) {
      this.reads++
      return source.getCall(uid)
    },
    subscribe: (listener) => counted('all', source.subscribe(listener)),
    subscribeCall: (uid, listener) => counted('ofCalls', source.subscribeCall(uid, listener)),
    ...(readOutput && { readOutput: (uid, from) => readOutput(uid, from) }),
  }
}
