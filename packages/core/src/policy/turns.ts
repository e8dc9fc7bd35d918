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

/** What a turn has used up, for the loop around the model. */
export interface TurnStatus {
  readonly calls: number
  readonly callsLeft: number
  /** The turn has used up its calls: ask the model for one last answer, without tools. */
  readonly windDown: boolean
}

/** Where a conversation stands with its continuations. */
export interface ContinuationStatus {
  readonly count: number
  readonly left: number
  /** Tell the model, if there is something to tell. */
  readonly notice: string | null
  /** No more continuations: ask the model for one last answer, without tools. */
  readonly windDown: boolean
}

/** The calls that may be made in a turn, or in several turns together. */
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

/** Everything that is counted or remembered for one turn of the model. */
export class Turn {
  readonly id: string | null
  readonly budget: CallBudget
  /** `null` where a loop cannot be seen: a batch without a turn runs once. */
  readonly loops: LoopDetector | null
  /** What a person allowed for this turn. Made when it is first needed. */
  allowed: ApprovalRules | null = null
  #rounds: CredentialRounds | null = null
  #denials: Map<string, CurfewError> | null = null
  /** A person said: stop everything. */
  stopped = false
  /** Calls under way; a turn with any is not forgotten. */
  live = 0

  constructor(id: string | null, budget: CallBudget, loops: LoopDetector | null) {
    this.id = id
    this.budget = budget
    this.loops = loops
  }

  /** How often a person was prompted for keys. */
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
    this.allowed.allow(rule)
  }
}

/** The last tenth of a limit, but never the whole of a small one. */
function nearLimit(used: number, limit: number): boolean {
  return used > 0 && used >= limit - Math.max(1, Math.floor(limit / 10))
}

/** So many turns and conversations are remembered at the most; the longest unused goes first. */
const remembered = 256

export class Turns {
  readonly #limits: LimitOptions
  readonly #loops: LoopOptions | null
  readonly #turns = new Map<string, Turn>()
  readonly #continuations = new Map<string, number>()

  constructor(limits: LimitOptions, loops: LoopOptions | null) {
    this.#limits = limits
    this.#loops = loops
  }

  /** `budget` names a turn whose limit these calls count towards, though nothing else of it holds for them. */
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

  /** The conversation is about to go on with tool results: counts it, unless it may not. */
  continue(conversation: string): ContinuationStatus {
    const limit = this.#limits.continuations
    const used = this.#continuations.get(conversation) ?? 0
    const count = Math.min(used + 1, limit)
    touch(this.#continuations, conversation, count, () => true)
    const notice = nearLimit(count, limit)
      ? `${count} of ${limit} continuations are used. Come to an end.`
      : null
    return { count, left: limit - count, notice, windDown: used >= limit }
  }
}

/** Puts an entry at the young end of a map, and lets old ones go. */
function touch<V>(map: Map<string, V>, key: string, value: V, mayForget: (value: V) => boolean): void {
  map.delete(key)
  map.set(key, value)
  if (map.size <= remembered) return
  for (const [oldKey, old] of map) {
    if (map.size <= remembered) break
    if (oldKey !== key && mayForget(old)) map.delete(oldKey)
  }
}
