import type { Clock, Timer } from '@curfew/core/internal'

/** When an agent has to be done. `remainingMs` need not decrease steadily: the clock of a call is paused while a person is asked. */
export interface AgentDeadline {
  readonly remainingMs: number
}

/** What is left for the model's final answer, and for returning it. */
const maxReserveMs = 30_000
const reserveShare = 0.2
const maxReturnMs = 2_000
const returnShare = 0.05
/** Timers are not exact: calls that end at the reserve must not lead to another round. */
const slackShare = 0.1
const minPauseMs = 20

/** Ends the turns of an agent before its deadline: first the model is asked for its final answer, then it is no longer waited for. */
export class TimeLimit {
  /** How long before the deadline no more calls run. */
  readonly reserveMs: number
  readonly #returnMs: number
  readonly #deadline: AgentDeadline
  readonly #clock: Clock

  constructor(deadline: AgentDeadline, clock: Clock) {
    const { remainingMs } = deadline
    this.#deadline = deadline
    this.#clock = clock
    this.reserveMs = Math.min(maxReserveMs, remainingMs * reserveShare)
    this.#returnMs = Math.min(maxReturnMs, remainingMs * returnShare)
  }

  /** Whether the model has to give its final answer now. */
  get isNear(): boolean {
    return this.#deadline.remainingMs <= this.reserveMs * (1 + slackShare)
  }

  /** Calls the function once there is only time to return what there is. Returns a function that stops it. */
  onOver(callback: () => void): () => void {
    let timer: Timer | null = null
    const schedule = (): void => {
      const leftMs = this.#deadline.remainingMs - this.#returnMs
      timer = this.#clock.setTimer(Math.max(minPauseMs, leftMs), () => {
        if (this.#deadline.remainingMs > this.#returnMs + minPauseMs) schedule()
        else callback()
      })
    }
    schedule()
    return () => this.#clock.clearTimer(timer!)
  }
}

export const timeIsOver = 'the time of the agent is over'
