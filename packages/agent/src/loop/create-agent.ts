import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { CallResult, ConversationOptions, Runtime, ToolCall, ToolContext } from '@curfew/core'
import { CurfewError } from '@curfew/core'
import { type Clock, describeValue, systemClock } from '@curfew/core/internal'
import { History } from '../history/history.ts'
import type { HistoryItem, UserPart } from '../history/history-item.ts'
import type { ModelLimits } from '../models/model-limits.ts'
import { nameOfModel } from '../models/name-of-model.ts'
import type { RestoredHistory } from '../sessions/restore-history.ts'
import type { Session } from '../sessions/session-file.ts'
import type { AgentEvent } from './agent-event.ts'
import { type AgentMode, conversationMode, defaultEdits } from './agent-mode.ts'
import { type AgentSnapshot, AgentState } from './agent-state.ts'
import { ContinuationLimit } from './continuation-limit.ts'
import { EventQueue } from './event-queue.ts'
import { redactUserParts } from './redact-parts.ts'
import { runTurn, type TurnEnd } from './run-turn.ts'
import { addMeter, meterAround } from './running-meters.ts'
import { type BudgetOptions, type Prices, UsageMeter, type UsageTotal } from './usage-meter.ts'
import { watchCalls } from './watch-calls.ts'

export interface AgentOptions {
  readonly model: LanguageModelV4
  /** Used after the quota of `model` is exhausted. */
  readonly fallback?: LanguageModelV4 | undefined
  readonly runtime: Runtime
  readonly system?: string | undefined
  /** The conversation's tools, view, approval, limits and question handler. */
  readonly conversation?: ConversationOptions | undefined
  readonly limits?: AgentLimits | undefined
  /**
   * What the model may do without asking.
   * @default 'ask', or the mode of the agent around it
   */
  readonly mode?: AgentMode | undefined
  /**
   * The calls that the mode `accept-edits` allows, as rules.
   * @default ['write_file', 'edit_file']
   */
  readonly edits?: readonly string[] | undefined
  /**
   * For an agent inside a tool: the tool's context. What it uses counts in the budgets of the agents around it, their modes and rules apply,
   * and it ends with the call.
   */
  readonly within?: ToolContext | undefined
  /** What models may use in each turn and in the whole conversation, including agents inside of it. */
  readonly budget?: { readonly turn?: BudgetOptions; readonly conversation?: BudgetOptions } | undefined
  /** Prices by `provider:model`, for budgets in money. */
  readonly prices?: Prices | undefined
  /** The history of a resumed conversation. */
  readonly history?: readonly HistoryItem[] | undefined
  /** The counts of a resumed conversation. */
  readonly counts?: RestoredHistory['counts'] | undefined
  /** Saves the conversation while it takes place, so that it can be resumed. */
  readonly session?: Pick<Session, 'append' | 'written' | 'flush'> | undefined
  /** For tests. */
  readonly clock?: Clock | undefined
}

export interface AgentLimits {
  /**
   * How often the model may continue with tool results after a prompt.
   * @default 100
   */
  readonly continuations?: number | undefined
  /**
   * After how many continuations of the whole conversation the person is asked whether the model may go on, each time. If nobody can be
   * asked, the turn ends.
   * @default 1,000
   */
  readonly conversationContinuations?: number | undefined
  /** Limits of each request to a model. */
  readonly model?: ModelLimits | undefined
}

export interface Agent {
  /** Sends a prompt. Yields what happens until the turn ends; a prompt that is sent meanwhile is delivered after the current batch. */
  send(
    prompt: string | readonly UserPart[],
    options?: { readonly signal?: AbortSignal | undefined },
  ): AsyncIterable<AgentEvent>
  /**
   * Runs a call that a person typed, through the scheduler: it needs no approval, but deny rules apply. The model is not asked; what it
   * should know of the result is added with `addParts`.
   */
  runAsPerson(
    call: Pick<ToolCall, 'name' | 'params' | 'timeout'>,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<CallResult>
  /**
   * Adds a message of the person to the history without asking the model, which sees it with the next request. While a turn is running,
   * it is added after the current batch, because results must follow their calls.
   */
  addParts(parts: readonly UserPart[]): void
  /** Cancels the current turn and withdraws queued prompts. Returns them. */
  cancel(reason?: string): readonly string[]
  /** Applies to the next call, also in a running turn. An open question stays open. */
  setMode(mode: AgentMode): void
  /** Switches the model: for the current turn if none is running, otherwise for the next one. Throws if a budget in money needs its price. */
  setModel(model: LanguageModelV4): void
  getSnapshot(): AgentSnapshot
  /** What the models of this conversation have used. */
  usage(): UsageTotal
  /** What the current or last turn has used. */
  turnUsage(): UsageTotal
  /** Returns an unsubscribe function. */
  subscribe(listener: () => void): () => void
  /** Cancels everything, including background tasks. */
  close(): Promise<void>
}

/** A prompt that was sent. */
interface Sent {
  readonly parts: readonly UserPart[]
  readonly text: string
  readonly events: EventQueue<AgentEvent>
  readonly signal: AbortSignal | undefined
}

export function createAgent(options: AgentOptions): Agent {
  return new CurfewAgent(options)
}

class CurfewAgent implements Agent {
  readonly #options: AgentOptions
  readonly #conversation: ReturnType<Runtime['conversation']>
  readonly #state: AgentState
  readonly #history: History
  readonly #meter: UsageMeter
  #turnMeter: UsageMeter
  readonly #continuations: ContinuationLimit
  readonly #maxContinuations: number
  readonly #edits: readonly string[]
  readonly #removeMeter: () => void
  #model: LanguageModelV4
  /** Used from the next turn on. */
  #nextModel: LanguageModelV4 | null = null
  #queue: Sent[] = []
  /** The prompts of the running turn, which all see its events. */
  #current: Sent[] = []
  /** Messages that were added during a batch. */
  #added: (readonly UserPart[])[] = []
  #typedCalls = 0
  #controller: AbortController | null = null
  #closed = false

  constructor(options: AgentOptions) {
    const { runtime, clock = systemClock, history = [], session, within, counts } = options
    this.#options = options
    this.#model = options.model
    this.#edits = options.edits ?? defaultEdits
    this.#maxContinuations = limit('continuations', options.limits?.continuations, 100)
    const perConversation = options.limits?.conversationContinuations
    this.#continuations = new ContinuationLimit(
      limit('conversationContinuations', perConversation, 1_000),
      counts?.continuations,
    )
    this.#meter = new UsageMeter(
      'budget.conversation',
      options.budget?.conversation ?? {},
      options.prices ?? {},
      within === undefined ? null : meterAround(runtime, within.uid),
    )
    if (counts !== undefined) this.#meter.restore(counts.usage)
    this.#turnMeter = this.#newTurnMeter()
    this.#turnMeter.assertPriced(nameOfModel(options.model))
    if (options.fallback !== undefined) this.#turnMeter.assertPriced(nameOfModel(options.fallback))
    // The agent counts continuations itself: they start again with every prompt.
    const limits = { ...options.conversation?.limits, continuations: Number.POSITIVE_INFINITY }
    this.#conversation = (within ?? runtime).conversation({ ...options.conversation, limits })
    this.#state = new AgentState((task) => clock.defer(task), history)
    this.#state.setModel(nameOfModel(options.model))
    // Reports invalid rules now, not when the mode is used.
    this.#conversation.setMode(conversationMode('accept-edits', this.#edits))
    this.#conversation.setMode(null)
    // Inside another agent, its mode applies.
    const mode = options.mode ?? (within === undefined ? 'ask' : null)
    if (mode !== null) this.setMode(mode)
    this.#removeMeter = addMeter(runtime, this.#conversation.id, this.#meter)
    this.#conversation.signal.addEventListener('abort', () => this.#end())
    this.#history = new History(
      () => clock.wallTime(),
      (item) => {
        this.#state.addItem(item)
        session?.append({ type: 'item', item })
      },
      history,
    )
  }

  send(
    prompt: string | readonly UserPart[],
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): AsyncIterable<AgentEvent> {
    if (this.#closed) throw new CurfewError('CONVERSATION_CLOSED', 'send: the agent is closed')
    const parts = redactUserParts(
      this.#options.runtime,
      typeof prompt === 'string' ? [{ type: 'text', text: prompt }] : prompt,
    )
    const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
    const sent: Sent = { parts, text, signal, events: new EventQueue(() => this.#withdraw(sent)) }
    if (signal?.aborted) {
      end(sent, { reason: 'abort', message: null })
      return sent.events
    }
    signal?.addEventListener('abort', () => this.#withdraw(sent), { once: true })
    this.#queue.push(sent)
    this.#showQueue()
    if (this.#controller === null) void this.#runQueue()
    return sent.events
  }

  async runAsPerson(
    call: Pick<ToolCall, 'name' | 'params' | 'timeout'>,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<CallResult> {
    const turn = this.#conversation.turn({ origin: 'person' })
    // An agent inside the call has the budget of a turn.
    const removeMeter = addMeter(this.#options.runtime, turn.id, this.#newTurnMeter())
    try {
      const [result] = await turn.execute([{ ...call, id: `typed-${++this.#typedCalls}` }], { signal })
      return result!
    } finally {
      removeMeter()
    }
  }

  addParts(parts: readonly UserPart[]): void {
    this.#added.push(redactUserParts(this.#options.runtime, parts))
    if (this.#controller === null) this.#deliverAdded()
  }

  cancel(reason = 'by the person'): readonly string[] {
    const withdrawn = this.#queue
    this.#queue = []
    for (const sent of withdrawn) end(sent, { reason: 'abort', message: null })
    this.#showQueue()
    this.#controller?.abort(new CurfewError('CANCELLED', reason))
    return withdrawn.map(({ text }) => text)
  }

  setMode(mode: AgentMode): void {
    this.#conversation.setMode(conversationMode(mode, this.#edits))
    this.#state.setMode(mode)
  }

  setModel(model: LanguageModelV4): void {
    this.#turnMeter.assertPriced(nameOfModel(model))
    this.#nextModel = model
    if (this.#controller === null) this.#useNextModel()
  }

  getSnapshot(): AgentSnapshot {
    return this.#state.getSnapshot()
  }

  usage(): UsageTotal {
    return this.#meter.total()
  }

  turnUsage(): UsageTotal {
    return this.#turnMeter.total()
  }

  subscribe(listener: () => void): () => void {
    return this.#state.subscribe(listener)
  }

  async close(): Promise<void> {
    this.#end()
    await this.#conversation.close()
  }

  #end(): void {
    this.#closed = true
    this.#removeMeter()
    this.cancel('the agent is closed')
  }

  /** ESC, or a reader that stopped reading. */
  #withdraw(sent: Sent): void {
    if (this.#current.includes(sent)) {
      this.#controller?.abort(sent.signal?.reason)
      return
    }
    if (!this.#queue.includes(sent)) return
    this.#queue = this.#queue.filter((other) => other !== sent)
    this.#showQueue()
    end(sent, { reason: 'abort', message: null })
  }

  async #runQueue(): Promise<void> {
    const first = this.#queue.shift()
    if (first === undefined) return
    this.#showQueue()
    const controller = new AbortController()
    this.#controller = controller
    this.#current = [first]
    this.#state.setResponding(true)
    let turnEnd: TurnEnd
    try {
      this.#history.addUser(first.parts)
      turnEnd = await this.#runTurn(controller.signal)
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      // Such as a conversation that was closed.
      turnEnd = controller.signal.aborted
        ? { reason: 'abort', message: null }
        : { reason: 'model-failure', message }
    }
    turnEnd = this.#options.runtime.redact(turnEnd)
    await this.#saveTurn(turnEnd)
    this.#deliverAdded()
    const ended = this.#current
    this.#current = []
    this.#controller = null
    this.#useNextModel()
    this.#state.setWaiting(false)
    this.#state.setResponding(false)
    for (const sent of ended) end(sent, turnEnd)
    if (this.#queue.length > 0) void this.#runQueue()
  }

  async #runTurn(signal: AbortSignal): Promise<TurnEnd> {
    const { runtime, system, limits, clock = systemClock } = this.#options
    const turn = this.#conversation.turn()
    this.#turnMeter = this.#newTurnMeter()
    const removeMeter = addMeter(runtime, turn.id, this.#turnMeter)
    const stopWatching = watchCalls(runtime, turn, {
      onCall: (row) => this.#emit({ type: 'call', row }),
      onWaiting: (waiting) => this.#state.setWaiting(waiting),
    })
    try {
      return await runTurn({
        runtime,
        conversation: this.#conversation,
        turn,
        history: this.#history,
        system,
        maxContinuations: this.#maxContinuations,
        signal,
        modelLimits: limits?.model,
        clock,
        meter: this.#turnMeter,
        model: () => this.#model,
        switchModel: () => this.#switchModel(),
        countContinuation: () => this.#continuations.continue(this.#conversation, signal),
        deliverQueued: () => this.#deliverQueued(),
        onRequest: () => this.#state.submit(),
        onCalls: (calls) => this.#saveCalls(calls),
        emit: (event) => this.#emit(event),
      })
    } finally {
      stopWatching()
      removeMeter()
    }
  }

  #newTurnMeter(): UsageMeter {
    const { budget, prices = {} } = this.#options
    return new UsageMeter('budget.turn', budget?.turn ?? {}, prices, this.#meter)
  }

  /** Before calls run, so that a crash leaves a trace of them. */
  async #saveCalls(calls: readonly { readonly callId: string; readonly name: string }[]): Promise<void> {
    const { session, clock = systemClock } = this.#options
    if (session === undefined) return
    const startedAt = clock.wallTime()
    session.append({ type: 'calls', calls: calls.map(({ callId, name }) => ({ callId, name, startedAt })) })
    this.#saveCounts()
    await session.written()
  }

  /** Also during a turn, so that a crash does not reset a limit or a budget. */
  #saveCounts(): void {
    const usage = { ...this.#meter.total() }
    this.#options.session?.append({ type: 'counts', continuations: this.#continuations.count, usage })
  }

  async #saveTurn({ reason }: TurnEnd): Promise<void> {
    const { session } = this.#options
    if (session === undefined) return
    this.#saveCounts()
    session.append({ type: 'end', reason })
    await session.flush()
  }

  #switchModel(): boolean {
    // What the person selected meanwhile comes before the fallback.
    const next = this.#nextModel ?? this.#options.fallback
    this.#nextModel = null
    if (next === undefined || next === this.#model) return false
    this.#useModel(next)
    return true
  }

  #useNextModel(): void {
    const next = this.#nextModel
    this.#nextModel = null
    if (next !== null && next !== this.#model) this.#useModel(next)
  }

  #useModel(model: LanguageModelV4): void {
    this.#model = model
    this.#state.setModel(nameOfModel(model))
    this.#options.session?.append({ type: 'model', model: nameOfModel(model) })
  }

  /** Only where no call waits for its result. */
  #deliverAdded(): void {
    const added = this.#added
    this.#added = []
    for (const parts of added) this.#history.addUser(parts)
  }

  #deliverQueued(): boolean {
    this.#deliverAdded()
    const delivered = this.#queue
    if (delivered.length === 0) return false
    this.#queue = []
    this.#showQueue()
    for (const sent of delivered) {
      this.#current.push(sent)
      this.#history.addUser(sent.parts)
    }
    return true
  }

  #emit(event: AgentEvent): void {
    if (event.type === 'text' || event.type === 'reasoning') this.#state.addText(event.type, event.text)
    // An error of a provider may repeat what it was sent.
    const shown = event.type === 'notice' ? this.#options.runtime.redact(event) : event
    for (const { events } of this.#current) events.push(shown)
  }

  #showQueue(): void {
    this.#state.setQueued(this.#queue.map(({ text }) => text))
  }
}

function limit(name: keyof AgentLimits, value: number | undefined, defaultValue: number): number {
  if (value === undefined) return defaultValue
  if (value === Number.POSITIVE_INFINITY || (Number.isSafeInteger(value) && value > 0)) return value
  const field = `limits.${name}`
  const message = `${field}: expected a whole number from 1, or Infinity, got ${describeValue(value)}`
  throw new CurfewError('INVALID_OPTION', message, { field })
}

function end({ events }: Sent, { reason, message }: TurnEnd): void {
  events.push({ type: 'end', reason, message })
  events.end()
}
