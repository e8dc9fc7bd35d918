import type { CallResult, CallRow, Reservation, Step, ToolCall, Turn } from '@curfew/core'

export interface StartOptions {
  readonly signal: AbortSignal | undefined
  /** The AI SDK asked a person in an earlier generation, who approved the call. */
  readonly approved: boolean
  readonly onChange: (row: CallRow) => void
}

interface ExpectedCall {
  readonly call: ToolCall
  status: 'expected' | 'running' | 'ended' | 'dropped'
  reservation: Reservation | null
}

/**
 * The calls of one step. The AI SDK first announces them in the model's order, and then starts them one by one. A call is
 * reserved when it or a later one is started: until then nothing has to wait for it, and the AI SDK may still discard the step.
 */
export class GenerationStep {
  readonly #turn: Turn
  readonly #calls: ExpectedCall[] = []
  #step: Step | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  #closed = false

  constructor(turn: Turn) {
    this.#turn = turn
  }

  get closed(): boolean {
    return this.#closed
  }

  get started(): boolean {
    return this.#step !== null
  }

  get running(): boolean {
    return this.#calls.some(({ status }) => status === 'running')
  }

  expect(call: ToolCall): ExpectedCall {
    const expected: ExpectedCall = { call, status: 'expected', reservation: null }
    this.#calls.push(expected)
    return expected
  }

  /** The call will not be started. */
  drop(call: ToolCall): void {
    const expected = this.#find(call)
    if (expected !== undefined) release(expected)
  }

  start(call: ToolCall, { signal, approved, onChange }: StartOptions): Promise<CallResult> {
    const announced = this.#find(call)
    const started = announced ?? this.expect(call)
    const reservation = this.#reserve(started)
    const unsubscribe = reservation.subscribe(onChange)
    // A call of this generation may have the id of an approved one.
    const removeApproval = approved && announced === undefined ? this.#approve(reservation) : undefined
    started.status = 'running'
    const result = reservation.run({ signal }).finally(() => {
      unsubscribe()
      removeApproval?.()
      started.status = 'ended'
      this.#closeIfDone()
    })
    this.#closeIfDone()
    return result
  }

  /** Releases what was never started. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    clearTimeout(this.#timer)
    this.#step?.close()
  }

  /** By identity, because ids may repeat and what runs must be what the AI SDK passed. */
  #find({ id, name, params }: ToolCall): ExpectedCall | undefined {
    return this.#calls.find(
      ({ call, status }) =>
        status === 'expected' && call.id === id && call.name === name && call.params === params,
    )
  }

  /** Reserves the call, after all calls before it. */
  #reserve(last: ExpectedCall): Reservation {
    this.#step ??= this.#turn.step()
    for (const expected of this.#calls) {
      if (expected.status === 'expected') expected.reservation ??= this.#step.reserve(expected.call)
      if (expected === last) break
    }
    return last.reservation!
  }

  /** Passes an approval on to the runtime, where rules may still deny the call. */
  #approve({ uid }: Reservation): () => void {
    return this.#turn.conversation.onQuestion((question) =>
      question.kind === 'approval' && question.callUid === uid ? 'once' : undefined,
    )
  }

  /** Gives up on calls that the AI SDK has not started, for example because your `toolApproval` denied them. */
  #closeIfDone(): void {
    clearTimeout(this.#timer)
    if (this.#closed) return
    if (this.#missing().length > 0) {
      this.#timer = setTimeout(() => {
        for (const missing of this.#missing()) release(missing)
        this.#closeIfDone()
      }, startWithinMs)
    } else if (!this.running) this.close()
  }

  /** The calls that should have been started: those before a started one, and all of them if nothing is running. */
  #missing(): ExpectedCall[] {
    const last = this.running
      ? this.#calls.findLastIndex(({ status }) => status === 'running' || status === 'ended')
      : this.#calls.length
    return this.#calls.slice(0, last).filter(({ status }) => status === 'expected')
  }
}

/** How much later than another call of its step a call may start. Its order is lost if it takes longer. */
const startWithinMs = 1_000

function release(expected: ExpectedCall): void {
  expected.status = 'dropped'
  expected.reservation?.release()
}
