import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { CallResult, ConversationOptions, Runtime, ToolCall, Turn } from '@curfew/core'
import { CurfewError } from '@curfew/core'
import {
  type Clock,
  guardSockets,
  type LogEntry,
  logToStderr,
  messageOf,
  safeLog,
  systemClock,
} from '@curfew/core/internal'
import { History } from '../history/history.ts'
import type { HistoryItem, UserPart } from '../history/history-item.ts'
import type { ModelLimits } from '../models/model-limits.ts'
import { nameOfModel } from '../models/name-of-model.ts'
import { checkUserParts } from '../sessions/check-record.ts'
import type { Session } from '../sessions/session-file.ts'
import type { SessionRecord } from '../sessions/session-record.ts'
import type { AgentEvent } from './agent-event.ts'
import { type AgentSnapshot, AgentState } from './agent-state.ts'
import { EventQueue } from './event-queue.ts'
import { mergeEvents } from './merge-events.ts'
import { runTurn, type TurnEnd } from './run-turn.ts'
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
  /** What models may use in each turn and in the whole conversation, including agents inside of it. */
  readonly budget?: { readonly turn?: BudgetOptions; readonly conversation?: BudgetOptions } | undefined
  /** Prices by `provider:model`, for budgets in money. */
  readonly prices?: Prices | undefined
  /** The history of a resumed conversation. */
  readonly history?: readonly HistoryItem[] | undefined
  /** Saves the conversation while it takes place, so that it can be resumed. */
  readonly session?: Pick<Session, 'append' | 'written' | 'flush'> | undefined
  /** Receives errors of listeners and of the session. @default writes to stderr */
  readonly log?: ((entry: LogEntry) => void) | undefined
  /** For tests. */
  readonly clock?: Clock | undefined
}

export interface AgentLimits {
  /**
   * How often the model may continue with tool results after a prompt.
   * @default 100
   */
  readonly continuations?: number | undefined
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
  readonly onAbort: () => void
}

export function createAgent(options: AgentOptions): Agent {
  // Providers' packages use `fetch`.
  guardSockets()
  return new CurfewAgent(options)
}

class CurfewAgent implements Agent {
  readonly #options: AgentOptions
  readonly #log: (entry: LogEntry) => void
  readonly #conversation: ReturnType<Runtime['conversation']>
  readonly #state: AgentState
  readonly #history: History
  readonly #meter: UsageMeter
  #turnMeter: UsageMeter
  #model: LanguageModelV4
  #queue: Sent[] = []
  /** The prompts of the running turn, which all see its events. */
  #current: Sent[] = []
  /** Messages that were added during a batch. */
  #added: (readonly UserPart[])[] = []
  #typedCalls = 0
  #controller: AbortController | null = null
  #closed = false

  constructor(options: AgentOptions) {
    const { runtime, clock = systemClock, history = [], log = logToStderr } = options
    this.#options = options
    this.#log = safeLog(log)
    this.#model = options.model
    this.#meter = new UsageMeter(
      'budget.conversation',
      options.budget?.conversation ?? {},
      options.prices ?? {},
    )
    this.#turnMeter = this.#newTurnMeter()
    this.#turnMeter.assertPriced(nameOfModel(options.model))
    if (options.fallback !== undefined) this.#turnMeter.assertPriced(nameOfModel(options.fallback))
    // The agent counts continuations itself: they start again with every prompt.
    const limits = { ...options.conversation?.limits, continuations: Number.POSITIVE_INFINITY }
    this.#conversation = runtime.conversation({ ...options.conversation, limits })
    const reportListener = (error: unknown): void =>
      this.#log({ level: 'error', message: 'a listener of the agent failed', error })
    this.#state = new AgentState((task) => clock.defer(task), reportListener, history)
    this.#history = new History(
      () => clock.wallTime(),
      (item) => {
        this.#state.addItem(item)
        this.#record({ type: 'item', item })
      },
      history,
    )
  }

  send(
    prompt: string | readonly UserPart[],
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): AsyncIterable<AgentEvent> {
    if (this.#closed) throw new CurfewError('CONVERSATION_CLOSED', 'send: the agent is closed')
    const parts = this.#checkParts(typeof prompt === 'string' ? [{ type: 'text', text: prompt }] : prompt)
    const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
    const onAbort = (): void => this.#withdraw(sent)
    const sent: Sent = { parts, text, signal, onAbort, events: new EventQueue(onAbort, mergeEvents) }
    if (signal?.aborted) {
      end(sent, { reason: 'abort', message: null })
      return sent.events
    }
    signal?.addEventListener('abort', onAbort, { once: true })
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
    const [result] = await turn.execute([{ ...call, id: `typed-${++this.#typedCalls}` }], { signal })
    return result!
  }

  addParts(parts: readonly UserPart[]): void {
    this.#added.push(this.#checkParts(parts))
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
    this.#closed = true
    this.cancel('the agent is closed')
    await this.#conversation.close()
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
    let stopWatching: (() => void) | null = null
    let turnEnd: TurnEnd
    try {
      const turn = this.#conversation.turn()
      stopWatching = watchCalls(this.#options.runtime, turn, {
        onCall: (row) => this.#emit({ type: 'call', row }),
        onWaiting: (waiting) => this.#state.setWaiting(waiting),
      })
      this.#history.addUser(first.parts)
      turnEnd = await this.#runTurn(turn, controller.signal)
    } catch (error) {
      turnEnd = { reason: isClosed(error) ? 'abort' : 'model-failure', message: messageOf(error) }
    }
    stopWatching?.()
    await this.#saveTurn(turnEnd)
    this.#deliverAdded()
    const ended = this.#current
    this.#current = []
    this.#controller = null
    this.#state.setWaiting(false)
    this.#state.setResponding(false)
    for (const sent of ended) end(sent, turnEnd)
    if (this.#queue.length > 0) void this.#runQueue()
  }

  #runTurn(turn: Turn, signal: AbortSignal): Promise<TurnEnd> {
    this.#turnMeter = this.#newTurnMeter()
    return runTurn({
      conversation: this.#conversation,
      turn,
      history: this.#history,
      system: this.#options.system,
      maxContinuations: this.#options.limits?.continuations ?? 100,
      signal,
      modelLimits: this.#options.limits?.model,
      clock: this.#options.clock ?? systemClock,
      meter: this.#turnMeter,
      model: () => this.#model,
      switchModel: () => this.#switchModel(),
      deliverQueued: () => this.#deliverQueued(),
      onRequest: () => this.#state.submit(),
      onCalls: (calls) => this.#saveCalls(calls),
      emit: (event) => this.#emit(event),
    })
  }

  #newTurnMeter(): UsageMeter {
    const { budget, prices = {} } = this.#options
    return new UsageMeter('budget.turn', budget?.turn ?? {}, prices, this.#meter)
  }

  /** A part that is not one would fail every later request. A person may paste a secret. */
  #checkParts(parts: readonly UserPart[]): UserPart[] {
    const { runtime } = this.#options
    let checked: UserPart[]
    try {
      checked = checkUserParts(parts)
    } catch (error) {
      throw new CurfewError('INVALID_OPTION', messageOf(error), { field: 'parts' })
    }
    return checked.map((part) => (part.type === 'text' ? { ...part, text: runtime.redact(part.text) } : part))
  }

  /** Before calls run, so that a crash leaves a trace of them. */
  async #saveCalls(calls: readonly { readonly callId: string; readonly name: string }[]): Promise<void> {
    const { session, clock = systemClock } = this.#options
    if (session === undefined) return
    const startedAt = clock.wallTime()
    this.#record({ type: 'calls', calls: calls.map(({ callId, name }) => ({ callId, name, startedAt })) })
    await session.written().catch(this.#reportSession)
  }

  async #saveTurn({ reason }: TurnEnd): Promise<void> {
    const { session } = this.#options
    if (session === undefined) return
    const { requests: continuations, ...usage } = this.#meter.total()
    this.#record({ type: 'counts', continuations, usage })
    this.#record({ type: 'end', reason })
    await session.flush().catch(this.#reportSession)
  }

  /** A conversation goes on if it cannot be saved. */
  #record(record: SessionRecord): void {
    try {
      this.#options.session?.append(record)
    } catch (error) {
      this.#reportSession(error)
    }
  }

  readonly #reportSession = (error: unknown): void =>
    this.#log({ level: 'error', message: 'the session was not saved', error })

  #switchModel(): boolean {
    const { fallback } = this.#options
    if (fallback === undefined || fallback === this.#model) return false
    this.#model = fallback
    this.#record({ type: 'model', model: nameOfModel(fallback) })
    return true
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
    for (const { events } of this.#current) events.push(event)
  }

  #showQueue(): void {
    this.#state.setQueued(this.#queue.map(({ text }) => text))
  }
}

/** The runtime or the conversation was closed during the turn. */
function isClosed(error: unknown): boolean {
  return error instanceof CurfewError && /^(RUNTIME|CONVERSATION)_CLOSED$/.test(error.code)
}

function end({ events, signal, onAbort }: Sent, { reason, message }: TurnEnd): void {
  signal?.removeEventListener('abort', onAbort)
  events.push({ type: 'end', reason, message })
  events.end()
}
