import type { Verdict } from '../call/verdict.ts'
import { CurfewError } from '../errors/curfew-error.ts'
import type { RuntimeSettings } from '../options/resolve-options.ts'
import type { SlotGroup } from '../order/slots.ts'
import type { SpillDirectory } from '../output/spill-directory.ts'
import type { ApprovalMode } from '../policy/approval-mode.ts'
import type { ApprovalRules } from '../policy/approval-rules.ts'
import type { QuestionHandlers, QuestionScope } from '../policy/ask-person.ts'
import { LoopDetector } from '../policy/loop-detector.ts'
import { matchGlob } from '../policy/match-glob.ts'
import { nearLimit } from '../policy/near-limit.ts'
import { WindowBreaker } from '../policy/window-breaker.ts'
import type { BeforeChanges, ContinuationStatus, LimitOptions, TurnStatus } from '../tool/conversation.ts'
import type { Tool } from '../tool/tool.ts'
import type { View } from '../tool/tool-views.ts'
import type { WebAbortSignal } from '../web-types.ts'
import { TurnState, type TurnStateOptions } from './turn-state.ts'

/** The rules of one conversation, which can only make the runtime's stricter, and its mode. */
export interface ConversationApproval {
  readonly default: Verdict
  /** `null` if it has none. */
  readonly rules: ApprovalRules | null
  mode: ApprovalMode | null
}

export interface ConversationStateOptions {
  readonly id: string
  /** The turn of the call that this conversation runs inside. */
  readonly parentTurn: TurnState | null
  readonly tools: readonly string[] | null
  readonly view: View
  readonly limits: LimitOptions
  /** `null` for the runtime's default conversation, which has only the runtime's approval. */
  readonly approval: ConversationApproval | null
  readonly client: string | null
  readonly slotGroup: SlotGroup
  readonly spill: SpillDirectory
  /** The directory is removed with the conversation. */
  readonly ownsFiles: boolean
  readonly rememberAnswers: boolean
  readonly beforeChanges: BeforeChanges | null
  readonly reserveMs: number
}

/** The maximum number of named turns that are kept; the least recently used is removed first. */
const maxTurns = 256

/** What belongs to one conversation with a model. */
export class ConversationState implements QuestionScope {
  readonly id: string
  readonly parent: ConversationState | null
  readonly parentTurn: TurnState | null
  view: View
  /** Offered in the stub view, unless the runtime has a tool with the same name. */
  searchTool: Tool | null = null
  readonly limits: LimitOptions
  readonly client: string | null
  readonly slotGroup: SlotGroup
  readonly spill: SpillDirectory
  readonly window: WindowBreaker
  /** Whether "always" is remembered; otherwise it applies to the turn. */
  readonly rememberAnswers: boolean
  readonly beforeChanges: BeforeChanges | null
  /** How long before the end of the call around it its calls end. */
  readonly reserveMs: number
  /** The rules and modes of this conversation and of those above it, outermost first. */
  readonly approvals: readonly ConversationApproval[]
  handlers: QuestionHandlers | null = null
  closed = false
  /** Called when it is closed. Created on first use. */
  onClose: Set<() => void> | null = null
  /** It runs inside a background task, which goes on when the turn above it is stopped. */
  background = false
  readonly #loops: RuntimeSettings['loops']
  readonly #tools: readonly string[] | null
  readonly #ownsFiles: boolean
  /** By name. A tool that is registered again is another one; `null` for one that has not been looked at since it was set. */
  #loaded = new Map<string, Tool | null>()
  readonly #turns = new Map<string, TurnState>()
  /** Created on first use. */
  #controller: AbortController | null = null
  #continuations = 0
  #turnCount = 0

  constructor(
    { loops, breaker }: Pick<RuntimeSettings, 'loops' | 'breaker'>,
    options: ConversationStateOptions,
  ) {
    const { parentTurn, approval } = options
    const parent = parentTurn?.conversation ?? null
    this.id = options.id
    this.parent = parent
    this.parentTurn = parentTurn
    this.view = options.view
    this.limits = options.limits
    this.client = options.client
    this.slotGroup = options.slotGroup
    this.spill = options.spill
    this.rememberAnswers = options.rememberAnswers
    this.beforeChanges = options.beforeChanges
    this.reserveMs = options.reserveMs
    this.window = new WindowBreaker(breaker.maxCallsPerWindow, breaker.resetTime)
    this.approvals = [...(parent?.approvals ?? []), ...(approval === null ? [] : [approval])]
    this.#ownsFiles = options.ownsFiles
    this.#loops = loops
    this.#tools = options.tools
  }

  /** Whether the model may call this tool. Tool code may call any. */
  offers(name: string): boolean {
    if (this.#tools === null || this.#tools.some((glob) => matchGlob(glob, name))) return true
    // Without it, stubs would be useless.
    return this.ownTool(name) !== undefined
  }

  isLoaded(tool: Tool): boolean {
    if (tool.alwaysLoad) return true
    const loaded = this.#loaded.get(tool.name)
    if (loaded === null) this.load(tool)
    return loaded === null || loaded === tool
  }

  load(tool: Tool): void {
    this.#loaded.set(tool.name, tool)
  }

  get loadedNames(): string[] {
    return [...this.#loaded.keys()]
  }

  /** All others count as unloaded. */
  setLoaded(names: Iterable<string>): void {
    this.#loaded = new Map(Array.from(names, (name) => [name, this.#loaded.get(name) ?? null]))
  }

  /** A tool that only this conversation has. */
  ownTool(name: string): Tool | undefined {
    return this.view === 'stub' && name === this.searchTool?.name ? this.searchTool : undefined
  }

  /** A turn that lasts for several batches. */
  createTurn(options: Pick<TurnStateOptions, 'origin' | 'budget'> = {}): TurnState {
    const id = `${this.id}/${++this.#turnCount}`
    return this.#newTurn({ id, ...options })
  }

  /** A turn for one batch, which cannot loop. */
  createBatchTurn(): TurnState {
    return new TurnState({ id: null, conversation: this, parent: this.parentTurn, loops: null })
  }

  /** The turn with this id, which is created on first use. */
  namedTurn(id: string): TurnState {
    const turn = this.#turns.get(id) ?? this.#newTurn({ id })
    this.#turns.delete(id)
    this.#turns.set(id, turn)
    if (this.#turns.size > maxTurns) this.#removeOldTurns(id)
    return turn
  }

  turnStatus(id: string): TurnStatus {
    return (this.#turns.get(id) ?? this.#newTurn({ id })).status()
  }

  /** Aborted when it is closed. */
  get signal(): WebAbortSignal {
    if (this.#controller === null) {
      const controller = new AbortController()
      this.#controller = controller
      const abort = (): void =>
        controller.abort(new CurfewError('CONVERSATION_CLOSED', `the conversation ${this.id} is closed`))
      if (this.closed) abort()
      else this.onClose = (this.onClose ?? new Set()).add(abort)
    }
    return this.#controller.signal
  }

  /** Counts one continuation with tool results, unless the limit is reached. */
  continue(): ContinuationStatus {
    const limit = this.limits.continuations
    const windDown = this.#continuations >= limit
    if (!windDown) this.#continuations++
    const count = this.#continuations
    const notice = nearLimit(count, limit)
      ? `${count} of ${limit} continuations are used. Finish with what you have.`
      : null
    return { count, left: limit - count, notice, windDown }
  }

  /** Removes its files with long results, unless others use the directory. */
  async closeFiles(): Promise<void> {
    if (this.#ownsFiles) await this.spill.close()
  }

  isWithin(conversation: ConversationState): boolean {
    for (let next: ConversationState | null = this; next !== null; next = next.parent)
      if (next === conversation) return true
    return false
  }

  #newTurn(options: Pick<TurnStateOptions, 'id' | 'origin' | 'budget'>): TurnState {
    const loops = this.#loops === null ? null : new LoopDetector(this.#loops)
    return new TurnState({ ...options, conversation: this, parent: this.parentTurn, loops })
  }

  #removeOldTurns(newest: string): void {
    for (const [id, { live }] of this.#turns) {
      if (this.#turns.size <= maxTurns) return
      if (id !== newest && live === 0) this.#turns.delete(id)
    }
  }
}
