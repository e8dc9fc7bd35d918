import { areSameUids, listUids } from './call-uids.ts'
import type { CallSource } from './sources.ts'
import { createSelection } from './use-selected.ts'

interface WatchedCall {
  readonly listeners: Set<() => void>
  isKnown: boolean
  unsubscribe: () => void
}

const watches = new WeakMap<CallSource, CallWatch>()

/** Calls the listener when a call has changed, has become known, or was removed. Returns an unsubscribe function. */
export function watchCall(source: CallSource, uid: number | null, listener: () => void): () => void {
  if (uid === null) return () => {}
  let watch = watches.get(source)
  if (watch === undefined) {
    watch = new CallWatch(source)
    watches.set(source, watch)
  }
  return watch.subscribe(uid, listener)
}

/**
 * `subscribeCall` notifies neither of a call that becomes known later nor of its removal. One subscription to the whole source per
 * component would call a thousand listeners for every change; this one is shared.
 */
class CallWatch {
  readonly #source: CallSource
  readonly #calls = new Map<number, WatchedCall>()
  readonly #uids: () => readonly number[]
  /** The uids for which all watched calls were checked; `null` if one was added since. */
  #checked: readonly number[] | null = null
  #unsubscribe: (() => void) | null = null

  constructor(source: CallSource) {
    this.#source = source
    this.#uids = createSelection(source, listUids(), areSameUids)
  }

  subscribe(uid: number, listener: () => void): () => void {
    this.#unsubscribe ??= this.#source.subscribe(() => this.#check())
    const call = this.#calls.get(uid) ?? this.#add(uid)
    // Wrapped, so that a function that is added twice has to be removed twice.
    const added = (): void => listener()
    call.listeners.add(added)
    return () => {
      if (call.listeners.delete(added) && call.listeners.size === 0) this.#remove(uid, call)
    }
  }

  #add(uid: number): WatchedCall {
    const listeners = new Set<() => void>()
    const isKnown = this.#source.getCall(uid) !== undefined
    const call = { listeners, isKnown, unsubscribe: this.#source.subscribeCall(uid, () => notify(listeners)) }
    this.#calls.set(uid, call)
    this.#checked = null
    return call
  }

  #remove(uid: number, call: WatchedCall): void {
    call.unsubscribe()
    this.#calls.delete(uid)
    if (this.#calls.size > 0) return
    this.#unsubscribe?.()
    this.#unsubscribe = null
  }

  #check(): void {
    const uids = this.#uids()
    if (uids === this.#checked) return
    this.#checked = uids
    for (const [uid, call] of this.#calls) {
      const isKnown = this.#source.getCall(uid) !== undefined
      if (isKnown === call.isKnown) continue
      call.isKnown = isKnown
      if (isKnown) {
        call.unsubscribe()
        call.unsubscribe = this.#source.subscribeCall(uid, () => notify(call.listeners))
      }
      notify(call.listeners)
    }
  }
}

function notify(listeners: ReadonlySet<() => void>): void {
  for (const listener of listeners) listener()
}
