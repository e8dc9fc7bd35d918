import { type CallRow, isTerminal } from '@curfew/core/rows'
import { watchCall } from './call-watch.ts'
import { isSameOutput, type LiveOutput, outputOfRow } from './live-output.ts'
import { maxWindowLength, OutputWindow } from './output-window.ts'
import type { CallSource, OutputPart } from './sources.ts'

/** The calls whose output is shown. */
const followers = new WeakMap<CallSource, Map<number, OutputFollower>>()

/** Calls the listener when a call's output has changed. Reads it until the last listener is removed. Returns an unsubscribe function. */
export function followOutput(source: CallSource, uid: number, listener: () => void): () => void {
  let ofSource = followers.get(source)
  if (ofSource === undefined) {
    ofSource = new Map()
    followers.set(source, ofSource)
  }
  const follower = ofSource.get(uid) ?? new OutputFollower(source, uid)
  ofSource.set(uid, follower)
  const added = (): void => listener()
  follower.listeners.add(added)
  return () => {
    if (!follower.listeners.delete(added) || follower.listeners.size > 0) return
    ofSource.delete(uid)
    follower.stop()
  }
}

/** The same object while the output does not change. */
export function currentOutput(source: CallSource, uid: number): LiveOutput | undefined {
  const follower = followers.get(source)?.get(uid)
  if (follower !== undefined) return follower.current
  const row = source.getCall(uid)
  return row === undefined ? undefined : outputOfRow(row)
}

/** Reads the output of one call while it is shown. */
class OutputFollower {
  readonly listeners: Set<() => void> = new Set()
  current: LiveOutput | undefined
  readonly #source: CallSource
  readonly #uid: number
  readonly #unwatch: () => void
  /** Identifies the call: after a mirror was reset, another call may have the same uid. */
  #createdAt: number | null = null
  #window = new OutputWindow()
  /** What was read last. */
  #last: OutputPart | null = null
  #next = 0
  /** The epoch in which a part is being read. */
  #readingIn: number | null = null
  /** The call has changed while its output was read. */
  #isStale = false
  /** Increases when what is being read is no longer needed. */
  #epoch = 0

  constructor(source: CallSource, uid: number) {
    this.#source = source
    this.#uid = uid
    const row = source.getCall(uid)
    this.current = row && outputOfRow(row)
    this.#unwatch = watchCall(source, uid, () => this.#update())
    this.#update()
  }

  stop(): void {
    this.#epoch++
    this.#unwatch()
  }

  #update(): void {
    const row = this.#source.getCall(this.#uid)
    if (row === undefined) return this.#publish(undefined)
    if (this.#source.readOutput === undefined) return this.#publish(outputOfRow(row))
    if (row.createdAt !== this.#createdAt) this.#restart(row.createdAt)
    this.#isStale = true
    if (this.#readingIn !== this.#epoch) void this.#read()
  }

  #restart(createdAt: number): void {
    this.#createdAt = createdAt
    this.#epoch++
    this.#window = new OutputWindow()
    this.#last = null
    this.#next = 0
  }

  /** One part at a time, so that they arrive in order. */
  async #read(): Promise<void> {
    const epoch = this.#epoch
    this.#readingIn = epoch
    while (this.#isStale && epoch === this.#epoch) {
      this.#isStale = false
      const row = this.#source.getCall(this.#uid)
      if (row !== undefined && this.#isBehind(row)) await this.#readTo(row.outputLength)
    }
    if (epoch !== this.#epoch) return
    this.#readingIn = null
    if (this.#last !== null && this.current?.error === null) this.#publishRead()
  }

  #isBehind({ outputLength, status }: CallRow): boolean {
    if (this.#last === null || outputLength > this.#next) return true
    return isTerminal(status) && !this.#last.ended
  }

  /** Listeners are notified once. What arrives meanwhile is not waited for, because output may arrive faster than it is read. */
  async #readTo(end: number): Promise<void> {
    const epoch = this.#epoch
    try {
      this.#next = Math.max(this.#next, end - maxWindowLength)
      do {
        const from = this.#next
        const part = await this.#source.readOutput!(this.#uid, from)
        if (epoch !== this.#epoch) return
        if (part === null) return this.#publishWithout(null)
        assertPart(part)
        this.#add(part, from)
        if (this.#next === from) break
      } while (this.#next < end)
      this.#publishRead()
    } catch (error) {
      if (epoch === this.#epoch) this.#publishWithout(error)
    }
  }

  #add(part: OutputPart, from: number): void {
    this.#last = part
    this.#window.add(part)
    const kept = part.length - part.dropped
    // The end was not kept, so what is shown ends before it.
    const isBeyond = this.#window.text === '' && kept > 0 && kept < from
    this.#next = isBeyond ? Math.max(0, kept - maxWindowLength) : Math.max(from, part.next)
  }

  #publishRead(): void {
    const { length, ended, dropped } = this.#last!
    const { text } = this.#window
    const offset = text === '' ? length - dropped : this.#window.offset
    const row = this.#source.getCall(this.#uid)
    const { outputPending: pending } = row ?? { outputPending: '' }
    this.#publish(row && { text, pending, offset, length, ended, dropped, error: null })
  }

  /** Without a part, the end of the output that the row contains is better than nothing. */
  #publishWithout(error: unknown): void {
    const row = this.#source.getCall(this.#uid)
    const output = this.#last === null ? row && outputOfRow(row) : this.current
    this.#publish(row && output && (error === null ? output : { ...output, error }))
  }

  #publish(output: LiveOutput | undefined): void {
    if (isSameOutput(output, this.current)) return
    this.current = output
    for (const listener of this.listeners) listener()
  }
}

/** A source in a browser reads from a server. */
function assertPart(part: OutputPart): void {
  const { text, offset, next, length, ended, dropped } = part
  const isValid = [offset, next, length, dropped].every((count) => Number.isSafeInteger(count) && count >= 0)
  if (typeof text !== 'string' || typeof ended !== 'boolean' || !isValid)
    throw new TypeError('readOutput: expected { text, offset, next, length, ended, dropped } or null')
}
