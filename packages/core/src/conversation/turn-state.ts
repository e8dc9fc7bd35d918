import type { LoopDetector } from '../policy/loop-detector.ts'
import { nearLimit } from '../policy/near-limit.ts'
import type { WindowBreaker } from '../policy/window-breaker.ts'
import type { TurnStatus } from '../tool/conversation.ts'
import type { ConversationState } from './conversation-state.ts'
import { RootTurn } from './root-turn.ts'

export interface TurnStateOptions {
  readonly id: string | null
  readonly conversation: ConversationState
  /** The turn of the call that this turn runs inside. */
  readonly parent?: TurnState | null
  /** A turn whose limits count these calls, too. */
  readonly budget?: TurnState | null
  /** Who requested the calls. */
  readonly origin?: 'model' | 'person'
  /** `null` for a batch without a turn, which runs only once. */
  readonly loops: LoopDetector | null
}

/** One turn of a model, or one call that a person typed. */
export class TurnState {
  readonly id: string | null
  readonly conversation: ConversationState
  readonly parent: TurnState | null
  readonly origin: 'model' | 'person'
  readonly loops: LoopDetector | null
  readonly root: RootTurn
  /** Counts the calls per time: of the conversation, or of the one whose turn is the `budget`. */
  readonly window: WindowBreaker
  loop: TurnStatus['loop'] = 'none'
  /** A call was rejected because there were too many in a short time. */
  tooFast = false
  /** The number of live calls; a turn that has any is not removed. */
  live = 0
  /** The turn that also counts this turn's calls: its parent, or the one given as `budget`. */
  readonly #counter: TurnState | null
  #calls = 0
  #cancelled = false

  constructor({ id, conversation, parent = null, budget = null, origin = 'model', loops }: TurnStateOptions) {
    this.id = id
    this.conversation = conversation
    this.parent = parent
    this.origin = origin
    this.loops = loops
    this.root = parent?.root ?? new RootTurn()
    this.window = budget?.window ?? conversation.window
    this.#counter = parent ?? budget
  }

  /** Counts a call here and in the turns above. If a limit is reached, nothing is counted and the limit is returned. */
  admit(): number | null {
    if (this.#counter === null) {
      const { callsPerTurn } = this.conversation.limits
      if (this.#calls >= callsPerTurn) return callsPerTurn
      this.#calls++
      return null
    }
    for (const turn of this.#counters()) if (turn.#left <= 0) return turn.conversation.limits.callsPerTurn
    for (const turn of this.#counters()) turn.#calls++
    return null
  }

  get stopped(): boolean {
    if (this.#cancelled) return true
    if (this.conversation.background) return false
    return this.parent === null ? this.root.stopped : this.parent.stopped
  }

  /** Marks the turn, and with it everything beneath it, as stopped. */
  cancel(): void {
    this.#cancelled = true
  }

  isWithin(turn: TurnState): boolean {
    for (let next: TurnState | null = this; next !== null; next = next.parent) if (next === turn) return true
    return false
  }

  status(): TurnStatus {
    const callsLeft = Math.max(0, Math.min(...this.#counters().map((turn) => turn.#left)))
    const { stopped, loop, tooFast } = this
    return {
      calls: this.#calls,
      callsLeft,
      windDown: callsLeft === 0 || stopped || loop === 'stopped' || tooFast,
      stopped,
      loop,
      tooFast,
    }
  }

  /** A message for the model if a limit is near. */
  notice(): string | null {
    for (let turn: TurnState | null = this; turn !== null; turn = turn.#counter) {
      const { callsPerTurn } = turn.conversation.limits
      if (nearLimit(turn.#calls, callsPerTurn))
        return `${turn.#calls} of ${callsPerTurn} tool calls of this turn are used. Finish with what you have.`
    }
    return null
  }

  get #left(): number {
    return this.conversation.limits.callsPerTurn - this.#calls
  }

  #counters(): TurnState[] {
    const counters: TurnState[] = []
    for (let turn: TurnState | null = this; turn !== null; turn = turn.#counter) counters.push(turn)
    return counters
  }
}
