import type { Clock, Timer } from '../clock/clock.ts'

export interface CallTimerListener {
  onLimit(limit: 'total' | 'idle'): void
  onHeartbeat(elapsedMs: number): void
}

export interface CallTimerLimits {
  readonly totalMs: number
  readonly idleMs: number | null
  readonly heartbeatMs: number
}

/** A system timer may fire this early by the monotonic clock. */
const earlyMs = 1

/**
 * A call's clock: total limit, idle limit and heartbeat on a single timer.
 *
 * It is paused while a person is being prompted, for this call and all its ancestors, and a call's activity counts for its
 * ancestors too.
 */
export class CallTimer {
  readonly #clock: Clock
  #limits: CallTimerLimits
  readonly #listener: CallTimerListener
  #parent: CallTimer | null
  readonly #watchesIdle: boolean
  #timer: Timer | null = null
  #startedAt = 0
  #pausedAt = 0
  #pausedMs = 0
  #pauses = 0
  #pauseCount = 0
  #stoppedAt: number | null = null
  #lastActivity = 0
  #nextHeartbeat: number

  constructor(clock: Clock, limits: CallTimerLimits, listener: CallTimerListener, parent: CallTimer | null) {
    this.#clock = clock
    this.#limits = limits
    this.#listener = listener
    this.#parent = parent
    this.#watchesIdle = limits.idleMs !== null || (parent === null ? false : parent.#watchesIdle)
    this.#nextHeartbeat = limits.heartbeatMs
    this.#startedAt = clock.now()
  }

  start(): void {
    // An observer may have restarted it before the start.
    this.#disarm()
    this.#startedAt = this.#clock.now()
    this.#arm(0)
  }

  /** Starts again with another total limit, without an idle limit, and independent of the parent. */
  restart(totalMs: number): void {
    if (this.#stoppedAt !== null) return
    for (let pause = 0; pause < this.#pauses; pause++) this.#parent?.resume()
    this.#parent = null
    this.#limits = { totalMs, idleMs: null, heartbeatMs: this.#limits.heartbeatMs }
    this.#nextHeartbeat = this.#limits.heartbeatMs
    this.#disarm()
    this.#startedAt = this.#clock.now()
    this.#pausedAt = this.#startedAt
    this.#pausedMs = 0
    this.#lastActivity = 0
    if (this.#pauses === 0) this.#arm(0)
  }

  /** Records output or progress as activity. */
  touch(): void {
    if (!this.#watchesIdle) return
    this.#lastActivity = this.elapsedMs()
    this.#parent?.touch()
  }

  pause(): void {
    if (++this.#pauses === 1 && this.#stoppedAt === null) {
      this.#pausedAt = this.#clock.now()
      this.#pauseCount++
      this.#disarm()
    }
    this.#parent?.pause()
  }

  resume(): void {
    if (--this.#pauses === 0 && this.#stoppedAt === null) {
      this.#pausedMs += this.#clock.now() - this.#pausedAt
      // A question counts as activity, so the idle limit restarts.
      this.#lastActivity = this.elapsedMs()
      this.#arm(this.#lastActivity)
    }
    this.#parent?.resume()
  }

  get paused(): boolean {
    return this.#pauses > 0
  }

  /** How often the clock was paused. */
  get pauseCount(): number {
    return this.#pauseCount
  }

  /** The total time of all pauses until now. */
  pausedMs(): number {
    const isPausing = this.#pauses > 0 && this.#stoppedAt === null
    return this.#pausedMs + (isPausing ? this.#clock.now() - this.#pausedAt : 0)
  }

  /** Ends the limits and the heartbeat, and freezes the elapsed time. */
  stop(): void {
    if (this.#stoppedAt !== null) return
    this.#stoppedAt = this.#now()
    this.#disarm()
  }

  elapsedMs(): number {
    return (this.#stoppedAt ?? this.#now()) - this.#startedAt - this.#pausedMs
  }

  remainingMs(): number {
    return Math.max(0, this.#limits.totalMs - this.elapsedMs())
  }

  /** The current time, frozen during a pause. */
  #now(): number {
    return this.#pauses > 0 ? this.#pausedAt : this.#clock.now()
  }

  #arm(elapsed: number): void {
    const { totalMs, idleMs } = this.#limits
    let next = Math.min(totalMs, this.#nextHeartbeat)
    if (idleMs !== null) next = Math.min(next, this.#lastActivity + idleMs)
    this.#timer = this.#clock.setTimer(Math.max(0, next - elapsed), () => this.#fire())
  }

  #disarm(): void {
    if (this.#timer === null) return
    this.#clock.clearTimer(this.#timer)
    this.#timer = null
  }

  #fire(): void {
    this.#timer = null
    const elapsed = this.elapsedMs()
    const { totalMs, idleMs, heartbeatMs } = this.#limits
    if (elapsed >= totalMs - earlyMs) return this.#listener.onLimit('total')
    if (idleMs !== null && elapsed - this.#lastActivity >= idleMs - earlyMs)
      return this.#listener.onLimit('idle')
    if (elapsed >= this.#nextHeartbeat - earlyMs) {
      this.#nextHeartbeat = (Math.floor((elapsed + earlyMs) / heartbeatMs) + 1) * heartbeatMs
      this.#listener.onHeartbeat(elapsed)
    }
    if (this.#stoppedAt === null) this.#arm(elapsed)
  }
}
