import type { Tool } from '../tool/tool.ts'
import type { BreakerOutcome, FailureBreakerState } from './failure-breaker.ts'
import { FailureBreaker } from './failure-breaker.ts'

export interface BreakerSettings {
  readonly maxCallsPerWindow: number
  readonly resetTime: number
  readonly failures: number
  readonly cooldown: number
}

/** Breakers with at least one failure, by tool name or `server:<name>`. */
export type FailuresSnapshot = Readonly<Record<string, FailureBreakerState>>

/** How a call counts for its tool's breaker and for its server's. */
export interface BreakerOutcomes {
  readonly tool: BreakerOutcome
  readonly server: BreakerOutcome
}

/** A failure breaker for every tool and server that has failed. */
export class Breakers {
  readonly #settings: BreakerSettings
  readonly #failures = new Map<string, FailureBreaker>()
  /** The server that a breaker in `#failures` is about. */
  readonly #servers = new Map<string, string>()

  constructor(settings: BreakerSettings) {
    this.#settings = settings
  }

  /** The open breaker and for how long it stays open, or `null` if the tool may be called. */
  blocked(tool: Tool, now: number): { readonly name: string; readonly waitMs: number } | null {
    if (this.#failures.size === 0) return null
    for (const name of breakerNames(tool)) {
      const waitMs = this.#failures.get(name)?.waitMs(now) ?? null
      if (waitMs !== null) return { name, waitMs }
    }
    return null
  }

  start(tool: Tool, uid: number, now: number): void {
    if (this.#failures.size === 0) return
    for (const name of breakerNames(tool)) this.#failures.get(name)?.start(uid, now)
  }

  end(tool: Tool, uid: number, outcomes: BreakerOutcomes, now: number): void {
    const hasFailed = outcomes.tool === 'failed' || outcomes.server === 'failed'
    if (!hasFailed && this.#failures.size === 0) return
    const { server } = tool
    // Without a server, the failure counts against the tool.
    const toolOutcome = server === undefined && outcomes.server === 'failed' ? 'failed' : outcomes.tool
    this.#end(tool.name, server, uid, toolOutcome, now)
    if (server !== undefined) this.#end(serverBreaker(server), server, uid, outcomes.server, now)
  }

  #end(name: string, server: string | undefined, uid: number, outcome: BreakerOutcome, now: number): void {
    let breaker = this.#failures.get(name)
    if (breaker === undefined) {
      if (outcome !== 'failed') return
      breaker = new FailureBreaker(this.#settings.failures, this.#settings.cooldown)
      this.#failures.set(name, breaker)
      if (server !== undefined) this.#servers.set(name, server)
    }
    breaker.end(uid, outcome, now)
    if (breaker.state.state === 'closed' && breaker.state.failures === 0) this.#delete(name)
  }

  #delete(name: string): void {
    this.#failures.delete(name)
    this.#servers.delete(name)
  }

  /** Forgets the failures of a server and its tools. */
  reset(server: string): void {
    for (const [name, of] of this.#servers) if (of === server) this.#delete(name)
  }

  /** Times are in milliseconds since 1970; `wallOffset` is the difference to the runtime's clock. */
  snapshot(wallOffset: number): FailuresSnapshot {
    const withWallTime = (state: FailureBreakerState): FailureBreakerState =>
      state.state === 'closed' ? state : { ...state, retryAt: state.retryAt + wallOffset }
    return Object.fromEntries(
      [...this.#failures].map(([name, breaker]) => [name, withWallTime(breaker.state)]),
    )
  }
}

function breakerNames(tool: Tool): readonly string[] {
  return tool.server === undefined ? [tool.name] : [tool.name, serverBreaker(tool.server)]
}

function serverBreaker(server: string): string {
  return `server:${server}`
}
