import type { CurfewError } from '../errors/curfew-error.ts'
import { ApprovalRules } from './approval-rules.ts'
import { CredentialRounds } from './credential-rounds.ts'
import type { LoopOptions } from './loop-detector.ts'
import { LoopDetector } from './loop-detector.ts'

export interface LimitOptions {
  readonly callsPerTurn: number
  readonly depth: number
  readonly continuations: number
}

/** How much of its call limit a turn has used. */
export interface TurnStatus {
  readonly calls: number
  readonly callsLeft: number
  /** The turn has used all its calls: ask the model for a final answer, without tools. */
  readonly windDown: boolean
}

/** How many of its continuations a conversation has used. */
export interface ContinuationStatus {
  readonly count: number
  readonly left: number
  /** A message for the model if the limit is near. */
  readonly notice: string | null
  /** No continuations are left: ask the model for a final answer, without tools. */
  readonly windDown: boolean
}

/** The number of calls that one or several turns may make. */
export class CallBudget {
  readonly #limit: number
  #calls = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Counts a call; false if it is over the limit. */
  admit(): boolean {
    if (this.#calls >= this.#limit) return false
    this.#calls++
    return true
  }

  status(): TurnStatus {
    return { calls: this.#calls, callsLeft: this.#limit - this.#calls, windDown: this.#calls >= this.#limit }
  }

  notice(): string | null {
    return nearLimit(this.#calls, this.#limit)
      ? `${this.#calls} of ${this.#limit} tool calls of this turn are used. Finish with what you have.`
      : null
  }
}

/** The state of one turn of the model. */
export class Turn {
  readonly id: string | null
  readonly budget: CallBudget
  /** `null` for a batch without a turn, which runs only once. */
  readonly loops: LoopDetector | null
  /** Rules that a person allowed for this turn. Created on first use. */
  allowed: ApprovalRules | null = null
  #rounds: CredentialRounds | null = null
  #denials: Map<string, CurfewError> | null = null
  /** A person stopped the turn. */
  stopped = false
  /** The number of live calls; a turn that has any is not removed. */
  live = 0

  constructor(id: string | null, budget: CallBudget, loops: LoopDetector | null) {
    this.id = id
    this.budget = budget
    this.loops = loops
  }

  /** The number of prompts for keys. */
  get rounds(): CredentialRounds {
    this.#rounds ??= new CredentialRounds()
    return this.#rounds
  }

  /** Secrets that a person denied in this turn, by question. */
  get denials(): Map<string, CurfewError> {
    this.#denials ??= new Map()
    return this.#denials
  }

  allow(rule: string): void {
    this.allowed ??= new ApprovalRules()
    this.allowed.add('allow', rule)
  }
}

/** Within the last tenth of a limit, but at least one below it. */
function nearLimit(used: number, limit: number): boolean {
  return used > 0 && used >= limit - Math.max(1, Math.floor(limit / 10))
}

/** The maximum number of turns and of conversations that are kept; the least recently used is removed first. */
const maxKept = 256

export class Turns {
  readonly #limits: LimitOptions
  readonly #loops: LoopOptions | null
  readonly #turns = new Map<string, Turn>()
  readonly #continuations = new Map<string, number>()

  constructor(limits: LimitOptions, loops: LoopOptions | null) {
    this.#limits = limits
    this.#loops = loops
  }

  /** `budget` is the id of a turn whose call limit applies to these calls. */
  get(id: string | undefined, budget?: string): Turn {
    if (id === undefined)
      return new Turn(null, budget === undefined ? this.#newBudget() : this.get(budget).budget, null)
    const turn =
      this.#turns.get(id) ??
      new Turn(id, this.#newBudget(), this.#loops === null ? null : new LoopDetector(this.#loops))
    touch(this.#turns, id, turn, (old) => old.live === 0)
    return turn
  }

  status(id: string): TurnStatus {
    return (this.#turns.get(id)?.budget ?? this.#newBudget()).status()
  }

  #newBudget(): CallBudget {
    return new CallBudget(this.#limits.callsPerTurn)
  }

  /** Counts one continuation of a conversation with tool results, unless the limit is reached. */
  continue(conversation: string): ContinuationStatus {
    const limit = this.#limits.continuations
    const used = this.#continuations.get(conversation) ?? 0
    const count = Math.min(used + 1, limit)
    touch(this.#continuations, conversation, count, () => true)
    const notice = nearLimit(count, limit)
      ? `${count} of ${limit} continuations are used. Finish with what you have.`
      : null
    return { count, left: limit - count, notice, windDown: used >= limit }
  }
}

/** Moves an entry to the end of a map, and removes the least recently used ones. */
function touch<V>(map: Map<string, V>, key: string, value: V, mayRemove: (value: V) => boolean): void {
  map.delete(key)
  map.set(key, value)
  if (map.size <= maxKept) return
  for (const [oldKey, old] of map) {
    if (map.size <= maxKept) break
    if (oldKey !== key && mayRemove(old)) map.delete(oldKey)
  }
}
