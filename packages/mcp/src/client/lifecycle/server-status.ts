import type { Clock } from '@curfew/core/internal'

/** `failed`: its last start failed, or it was lost. */
type ServerRunState = 'stopped' | 'starting' | 'running' | 'failed'

/** What a server is doing, for `curfew mcp status`. */
export interface ServerStatus {
  readonly state: ServerRunState
  /** When it entered this state, in milliseconds since 1970. */
  readonly since: number
  /** `null` for a remote server, and for one that is not running. */
  readonly pid: number | null
  /** How many calls and other requests were sent to it, also to earlier processes. */
  readonly calls: number
  /** Why it last failed to start or was lost; kept after it has recovered. */
  readonly lastError: { readonly message: string; readonly at: number } | null
}

/** Records what a server is doing. */
export class StatusRecord {
  readonly #clock: Clock
  readonly #onChange: () => void
  #state: ServerRunState = 'stopped'
  #since: number
  #calls = 0
  #lastError: ServerStatus['lastError'] = null

  constructor(clock: Clock, onChange: () => void = () => {}) {
    this.#clock = clock
    this.#onChange = onChange
    this.#since = clock.wallTime()
  }

  enter(state: ServerRunState): void {
    if (state === this.#state) return
    this.#enter(state)
    this.#onChange()
  }

  fail({ message }: Error): void {
    if (this.#state !== 'failed') this.#enter('failed')
    this.#lastError = { message, at: this.#clock.wallTime() }
    this.#onChange()
  }

  #enter(state: ServerRunState): void {
    this.#state = state
    this.#since = this.#clock.wallTime()
  }

  onCall(): void {
    this.#calls++
  }

  read(pid: number | undefined): ServerStatus {
    const isRunning = this.#state === 'running'
    return {
      state: this.#state,
      since: this.#since,
      pid: (isRunning && pid) || null,
      calls: this.#calls,
      lastError: this.#lastError,
    }
  }
}
