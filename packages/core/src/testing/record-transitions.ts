import { type CallStatus, callEdges } from '../call/call-state.ts'
import type { Runtime } from '../runtime/create-runtime.ts'
import type { CallDetails } from '../store/call-details.ts'
import type { Transition } from '../store/call-store.ts'

export interface TransitionRecorder {
  readonly transitions: readonly Transition[]
  /** The states of a call in order, by its id: `['validating', 'scheduled', ...]`. */
  path(id: string): CallStatus[]
  /** The details of a call at its last transition, by its id. */
  details(id: string): CallDetails | undefined
  /** Transitions that are not in the edge table. */
  illegal(): Transition[]
  /** Every observed edge, as `from -> to`. */
  edges(): Set<string>
  stop(): void
}

/** Records every transition of every call of a runtime. */
export function recordTransitions(runtime: Runtime): TransitionRecorder {
  const transitions: Transition[] = []
  const stop = runtime.onTransition((transition) => transitions.push(transition))
  return {
    transitions,
    path: (id) => transitions.filter((transition) => transition.id === id).map(({ to }) => to),
    details: (id) => transitions.findLast((transition) => transition.id === id)?.call,
    illegal: () =>
      transitions.filter(({ from, to }) =>
        from === null ? to !== 'validating' : !callEdges[from].includes(to),
      ),
    edges: () =>
      new Set(transitions.filter(({ from }) => from !== null).map(({ from, to }) => `${from} -> ${to}`)),
    stop,
  }
}
