import { type CallRow, formatDuration, type Runtime } from '@curfew/core'
import { type Clock, describeSource, systemClock, type Timer } from '@curfew/core/internal'
import type { ModelWatch } from './model-watch.ts'

/** Something that has taken longer than 10 seconds. */
export interface Waiting {
  readonly kind: 'call' | 'model' | 'other'
  /** The tool, the model, or whatever else the run waits for. */
  readonly name: string
  readonly uid: number | null
  readonly elapsedMs: number
  readonly limitMs: number | null
  /** For people. */
  readonly message: string
}

export interface WaitingOptions {
  readonly onWaiting: (waiting: Waiting) => void
  /** While it returns true, nothing is reported: a question is on the screen. */
  readonly isSuspended: () => boolean
  readonly clock?: Clock
}

interface WaitingSources {
  readonly runtime: Pick<Runtime, 'getSnapshot'>
  readonly modelWatch: Pick<ModelWatch, 'open'>
  /** The arguments of a call in one line. */
  argsOf(uid: number): string
  /** In milliseconds. */
  readonly modelTimeouts: { readonly firstToken: number; readonly idle: number }
}

const intervalMs = 1_000
const firstMs = 10_000
const repeatMs = 30_000

/** Reports everything that takes longer than 10 seconds: after 10 and 30 seconds, then every 30 seconds. */
export class WaitingLines {
  readonly #options: WaitingOptions
  readonly #clock: Clock
  readonly #tracked = new Map<string, { readonly since: number; readonly describe: Describe }>()
  /** How often each thing was reported, by key. */
  #reported = new Map<string, number>()
  #sources: WaitingSources | null = null
  #timer: Timer | null = null
  #count = 0

  constructor(options: WaitingOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#schedule()
  }

  /** From now on, also calls and models. */
  watch(sources: WaitingSources): void {
    this.#sources = sources
  }

  /** Also reports this until the returned function is called. */
  track(name: string, describe: Describe = plainly(name)): () => void {
    const key = `other ${++this.#count}`
    this.#tracked.set(key, { since: this.#clock.now(), describe })
    return () => void this.#tracked.delete(key)
  }

  close(): void {
    if (this.#timer !== null) this.#clock.clearTimer(this.#timer)
    this.#timer = null
  }

  #schedule(): void {
    this.#timer = this.#clock.setTimer(intervalMs, () => {
      this.#schedule()
      if (!this.#options.isSuspended()) this.#report()
    })
  }

  #report(): void {
    const before = this.#reported
    this.#reported = new Map()
    for (const [key, waiting] of this.#current()) {
      const count = timesDue(waiting.elapsedMs)
      if (count === 0) continue
      this.#reported.set(key, count)
      if (count > (before.get(key) ?? 0)) this.#options.onWaiting(waiting)
    }
  }

  *#current(): Generator<[string, Waiting]> {
    const now = this.#clock.now()
    for (const [key, { since, describe }] of this.#tracked) yield [key, describe(now - since)]
    if (this.#sources === null) return
    const { runtime, modelWatch, modelTimeouts } = this.#sources
    for (const { model, hasBegun, since } of modelWatch.open) {
      const limitMs = hasBegun ? modelTimeouts.idle : modelTimeouts.firstToken
      const elapsedMs = now - since
      const silence = `${hasBegun ? 'nothing new' : 'no response'} for ${formatDuration(rounded(elapsedMs))}`
      const message = `waiting for ${model}: ${silence} (limit ${formatDuration(limitMs)})`
      // A new silence is reported again.
      yield [`model ${since}`, { kind: 'model', name: model, uid: null, elapsedMs, limitMs, message }]
    }
    for (const row of runtime.getSnapshot().calls) {
      if (row.endedAt !== null || row.paused || row.status === 'awaiting_approval') continue
      yield [
        `call ${row.uid} ${row.status}`,
        describeCall(row, this.#sources.argsOf(row.uid), this.#clock.wallTime()),
      ]
    }
  }
}

type Describe = (elapsedMs: number) => Waiting

/** 1 after 10 s, 2 after 30 s, 3 after 60 s, ... */
function timesDue(elapsedMs: number): number {
  if (elapsedMs < firstMs) return 0
  return elapsedMs < repeatMs ? 1 : 1 + Math.floor(elapsedMs / repeatMs)
}

/** The timer is never exact. */
function rounded(ms: number): number {
  return Math.floor(ms / 1_000) * 1_000
}

function plainly(name: string): Describe {
  return (elapsedMs) => ({
    kind: 'other',
    name,
    uid: null,
    elapsedMs,
    limitMs: null,
    message: `waiting for ${name}: ${formatDuration(rounded(elapsedMs))}`,
  })
}

function describeCall(row: CallRow, args: string, wallTime: number): Waiting {
  const { name, uid, status, timeoutMs, timeoutSource } = row
  const isRunning = status === 'executing'
  const elapsedMs = isRunning ? row.elapsedMs + wallTime - row.updatedAt : wallTime - row.createdAt
  const limit =
    timeoutMs === null || timeoutSource === null
      ? ''
      : ` of ${formatDuration(timeoutMs)} (${describeSource(timeoutSource)})`
  const time = `${formatDuration(rounded(elapsedMs))}${limit}`
  const message = `waiting for ${name}${args === '' ? '' : ` ${args}`}: ${isRunning ? time : `has not started after ${time}`}`
  return { kind: 'call', name, uid, elapsedMs, limitMs: timeoutMs, message }
}
