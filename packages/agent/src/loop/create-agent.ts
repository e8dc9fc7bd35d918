import type { LanguageModelV4 } from '@ai-sdk/provider'
import {
  type CallResult,
  type Conversation,
  CurfewError,
  type Runtime,
  type ToolCall,
  type Turn,
  type TurnStatus,
} from '@curfew/core'
import {
  describeValue,
  guardSockets,
  logToStderr,
  messageOf,
  safeLog,
  systemClock,
} from '@curfew/core/internal'
import { ContextManager } from '../context/context-manager.ts'
import type { ContextNotice } from '../context/context-notice.ts'
import { ContextWindows } from '../context/context-windows.ts'
import { toolsIn } from '../context/unload-removed.ts'
import { History } from '../history/history.ts'
import type { UserPart } from '../history/history-item.ts'
import { nameOfModel } from '../models/name-of-model.ts'
import { checkUserParts } from '../sessions/check-record.ts'
import type { RestoredHistory } from '../sessions/restore-history.ts'
import type { Agent } from './agent.ts'
import type { AgentDelta } from './agent-delta.ts'
import type { AgentEvent } from './agent-event.ts'
import { type AgentMode, conversationMode, defaultEdits } from './agent-mode.ts'
import { type AgentOptions, limit } from './agent-options.ts'
import { type AgentSnapshot, AgentState } from './agent-state.ts'
import { ContinuationLimit } from './continuation-limit.ts'
import { PromptQueue } from './prompt-queue.ts'
import { redactUserParts } from './redact-messages.ts'
import { reductionScope } from './respond.ts'
import { runTurn } from './run-turn.ts'
import { addMeter, meterAround } from './running-meters.ts'
import { SessionLog } from './session-log.ts'
import { takeCheckpoints } from './take-checkpoints.ts'
import { TimeLimit, timeIsOver } from './time-limit.ts'
import type { TurnEnd } from './turn-context.ts'
import { checkPrices, UsageMeter, type UsageTotal } from './usage-meter.ts'
import { watchCalls } from './watch-calls.ts'

export function createAgent(options: AgentOptions): Agent {
  // Providers' packages use `fetch`.
  guardSockets()
  return new CurfewAgent(options)
}

class CurfewAgent implements Agent {
  readonly #options: AgentOptions
  readonly #conversation: ReturnType<Runtime['conversation']>
  readonly #state: AgentState
  readonly #history: History
  readonly #context: ContextManager
  readonly #log: SessionLog
  readonly #report: (message: string) => (error: unknown) => void
  readonly #meter: UsageMeter
  #turnMeter: UsageMeter
  readonly #continuations: ContinuationLimit
  readonly #maxContinuations: number
  readonly #time: TimeLimit | null
  readonly #edits: readonly string[]
  readonly #removeMeter: () => void
  #model: LanguageModelV4
  /** Used from the next turn on. */
  #nextModel: LanguageModelV4 | null = null
  readonly #prompts = new PromptQueue({
    onChange: (queued) => this.#state.setQueued(queued),
    onAbort: (reason) => this.#controller?.abort(reason),
  })
  /** Messages that were added during a batch. */
  #added: (readonly UserPart[])[] = []
  #typedCalls = 0
  #controller: AbortController | null = null
  /** The current or last one. */
  #turn: Turn | null = null
  #closed = false

  constructor(options: AgentOptions) {
    const { runtime, clock = systemClock, history = [], within } = options
    this.#options = options
    this.#model = options.model
    // Reports an invalid window before anything is opened.
    const windows = new ContextWindows(options.contextWindow)
    windows.of(nameOfModel(options.model))
    this.#edits = options.edits ?? defaultEdits
    this.#maxContinuations = limit('continuations', options.limits?.continuations, 100)
    const perConversation = options.limits?.conversationContinuations
    this.#continuations = new ContinuationLimit(
      limit('conversationContinuations', perConversation, 1_000),
      options.counts?.continuations,
    )
    const deadline = options.deadline ?? within?.deadline
    this.#time = deadline === undefined ? null : new TimeLimit(deadline, clock)
    checkPrices(options.prices ?? {})
    this.#meter = new UsageMeter(
      'budget.conversation',
      options.budget?.conversation ?? {},
      options.prices ?? {},
      within === undefined ? null : meterAround(runtime, within.uid),
    )
    if (options.counts !== undefined) this.#meter.restore(options.counts.usage)
    this.#turnMeter = this.#newTurnMeter()
    this.#turnMeter.assertPriced(nameOfModel(options.model))
    if (options.fallback !== undefined) this.#turnMeter.assertPriced(nameOfModel(options.fallback))
    // The agent counts continuations itself: they start again with every prompt.
    const limits = { ...options.conversation?.limits, continuations: Number.POSITIVE_INFINITY }
    this.#conversation = (within ?? runtime).conversation({
      search: true,
      ...options.conversation,
      limits,
      beforeChanges: takeCheckpoints(
        options,
        () => this.#history.position,
        (error) => this.#report('no checkpoint was taken')(error),
      ),
      ...(this.#time !== null && { reserve: this.#reserveOf(this.#time) }),
    })
    this.#conversation.setLoadedTools(options.loaded ?? toolsIn(history).shown)
    const counts = (): RestoredHistory['counts'] => ({
      continuations: this.#continuations.count,
      usage: { ...this.#meter.total() },
    })
    const log = safeLog(options.log ?? logToStderr)
    this.#report = (message) => (error) => log({ level: 'error', message, error })
    this.#log = new SessionLog(
      options.session,
      clock,
      counts,
      this.#conversation.loadedTools(),
      this.#report('the session was not saved'),
    )
    const onListenerError = this.#report('a listener of the agent failed')
    this.#state = new AgentState((task) => clock.defer(task), onListenerError, history)
    this.#state.setModel(nameOfModel(options.model))
    try {
      // Reports invalid rules now, not when the mode is used.
      this.#conversation.setMode(conversationMode('accept-edits', this.#edits))
      this.#conversation.setMode(null)
      // Inside another agent, its mode applies.
      const mode = options.mode ?? (within === undefined ? 'ask' : null)
      if (mode !== null) this.setMode(mode)
    } catch (error) {
      void this.#conversation.close()
      throw error
    }
    this.#removeMeter = addMeter(runtime, this.#conversation.id, this.#meter)
    // The call is stopped, or it has ended without waiting for this agent.
    within?.signal.addEventListener('abort', () => this.#stop(), { once: true })
    this.#conversation.signal.addEventListener('abort', () => this.#stop(), { once: true })
    this.#history = new History(
      () => clock.wallTime(),
      {
        onAdd: (item) => {
          this.#state.addItem(item)
          this.#log.item(item)
        },
        onReplace: (items) => {
          this.#state.setItems(this.#history.items)
          for (const item of items) this.#log.item(item)
        },
        onRemove: (removal) => {
          this.#state.setItems(this.#history.items)
          this.#log.removed(removal)
        },
        onRewind: (position) => {
          this.#state.setItems(this.#history.items)
          this.#log.rewound(position)
        },
      },
      history,
    )
    this.#context = new ContextManager(
      {
        conversation: this.#conversation,
        history: this.#history,
        windows,
        isViewChosen: options.conversation?.view !== undefined || this.#conversation.view !== 'brief',
        redact: (text) => runtime.redact(text),
        onChange: (usage) => {
          this.#state.setContext(usage)
          this.#log.loaded(this.#conversation.loadedTools())
        },
      },
      this.#model,
    )
    this.#readSystem()
    this.#state.setContext(this.#context.usage())
  }

  send(
    prompt: string | readonly UserPart[],
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): AsyncIterable<AgentEvent> {
    if (this.#closed) throw new CurfewError('CONVERSATION_CLOSED', 'send: the agent is closed')
    const parts = this.#readParts(typeof prompt === 'string' ? [{ type: 'text', text: prompt }] : prompt)
    const events = this.#prompts.add(parts, signal)
    if (this.#controller === null) void this.#runQueue()
    return events
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
    this.#added.push(this.#readParts(parts))
    if (this.#controller === null) this.#deliverAdded()
  }

  async compact(
    instructions = '',
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<ContextNotice | null> {
    return await this.#betweenTurns('compact', signal, async (aborted) => {
      this.#turnMeter = this.#newTurnMeter()
      const { runtime, limits, clock = systemClock } = this.#options
      try {
        const exceeded = this.#turnMeter.exceeded()
        if (exceeded !== null) throw new CurfewError('LIMIT_EXCEEDED', `compact: ${exceeded}`)
        const scope = reductionScope(
          {
            runtime,
            signal: aborted,
            clock,
            meter: this.#turnMeter,
            modelLimits: limits?.model,
            emit: (event) => this.#emit(event),
          },
          this.#model,
        )
        return await this.#context.compact(scope, runtime.redact(instructions))
      } finally {
        // Otherwise nothing changed, and a session without records leaves no file.
        if (this.#turnMeter.total().requests > 0) await this.#log.end(null)
      }
    })
  }

  async rewind(
    position: number,
    {
      restore,
      signal,
    }: {
      readonly restore?: ((signal: AbortSignal) => Promise<void>) | undefined
      readonly signal?: AbortSignal | undefined
    } = {},
  ): Promise<void> {
    await this.#betweenTurns('rewind', signal, async (aborted) => {
      if (!this.#history.canRewind(position))
        throw new CurfewError(
          'INVALID_OPTION',
          `rewind: expected the id of an item of the history, got ${describeValue(position)}`,
          { field: 'position' },
        )
      await restore?.(aborted)
      if (this.#context.rewind(position)) await this.#log.end(null)
    })
  }

  canRewind(position: number): boolean {
    return this.#history.canRewind(position)
  }

  async ask(...[question, options]: Parameters<Conversation['ask']>): Promise<string> {
    return await this.#conversation.ask(question, options)
  }

  /** Prompts that are sent meanwhile wait. */
  async #betweenTurns<T>(
    name: string,
    signal: AbortSignal | undefined,
    run: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    if (this.#closed) throw new CurfewError('CONVERSATION_CLOSED', `${name}: the agent is closed`)
    if (this.#controller !== null)
      throw new CurfewError('INVALID_OPTION', `${name}: a turn is running; wait until it ends, or cancel it`)
    const controller = new AbortController()
    const abort = (): void => controller.abort(signal?.reason)
    if (signal?.aborted) abort()
    else signal?.addEventListener('abort', abort, { once: true })
    this.#controller = controller
    this.#state.setResponding(true)
    try {
      return await run(controller.signal)
    } finally {
      signal?.removeEventListener('abort', abort)
      this.#deliverAdded()
      this.#controller = null
      this.#useNextModel()
      this.#state.setResponding(false)
      if (!this.#prompts.isEmpty) void this.#runQueue()
    }
  }

  cancel(reason = 'by the person'): readonly string[] {
    const withdrawn = this.#prompts.withdrawAll()
    this.#controller?.abort(new CurfewError('CANCELLED', reason))
    return withdrawn
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

  turnStatus(): TurnStatus | null {
    return this.#turn?.status() ?? null
  }

  subscribe(listener: (delta: AgentDelta) => void): () => void {
    return this.#state.subscribe(listener)
  }

  async close(): Promise<void> {
    this.#stop()
    await this.#conversation.close()
  }

  #stop(): void {
    this.#closed = true
    this.#removeMeter()
    this.cancel('the agent is closed')
  }

  /** What the conversation's calls leave of the time of the call around it. */
  #reserveOf({ reserveMs }: TimeLimit): number {
    const { within, deadline } = this.#options
    const earlierMs =
      within === undefined || deadline === undefined ? 0 : within.deadline.remainingMs - deadline.remainingMs
    return Math.max(1, reserveMs + Math.max(0, earlierMs))
  }

  async #runQueue(): Promise<void> {
    const prompt = this.#prompts.begin()
    if (prompt === null) return
    const controller = new AbortController()
    this.#controller = controller
    this.#state.setResponding(true)
    let turnEnd: TurnEnd
    try {
      this.#history.addUser(prompt)
      turnEnd = await this.#runTurn(controller.signal)
    } catch (error) {
      if (isClosed(error)) turnEnd = { reason: 'abort', message: messageOf(error) }
      else if (controller.signal.aborted) turnEnd = { reason: 'abort', message: null }
      else turnEnd = { reason: 'model-failure', message: messageOf(error) }
    }
    if (turnEnd.reason === 'abort' && controller.signal.reason === timeIsOver)
      turnEnd = { reason: 'limit', message: timeIsOver }
    turnEnd = this.#options.runtime.redact(turnEnd)
    await this.#log.end(turnEnd.reason)
    this.#deliverAdded()
    this.#controller = null
    this.#useNextModel()
    this.#state.setWaiting(false)
    this.#state.setResponding(false)
    this.#prompts.end(turnEnd)
    if (!this.#prompts.isEmpty) void this.#runQueue()
  }

  async #runTurn(signal: AbortSignal): Promise<TurnEnd> {
    const { runtime, limits, clock = systemClock } = this.#options
    this.#readSystem()
    const turn = this.#conversation.turn()
    this.#turn = turn
    this.#turnMeter = this.#newTurnMeter()
    const removeMeter = addMeter(runtime, turn.id, this.#turnMeter)
    const stopTimer = this.#time?.onOver(() => this.#controller?.abort(timeIsOver))
    const stopWatching = watchCalls(runtime, turn, {
      onCall: (row) => this.#emit({ type: 'call', row }),
      onWaiting: (waiting) => this.#state.setWaiting(waiting),
    })
    const stopLogging = this.#log.watch(runtime, turn)
    const run = (): Promise<TurnEnd> =>
      runTurn({
        runtime,
        contextManager: this.#context,
        turn,
        history: this.#history,
        maxContinuations: this.#maxContinuations,
        signal,
        modelLimits: limits?.model,
        clock,
        meter: this.#turnMeter,
        model: () => this.#model,
        switchModel: () => this.#switchModel(),
        countContinuation: () => this.#continuations.continue(this.#conversation, signal),
        deliverQueued: () => this.#deliverQueued(),
        isTimeShort: () => this.#time?.isNear ?? false,
        saved: () => this.#log.written(),
        onRequest: () => this.#state.submit(),
        onResults: () => this.#log.loaded(this.#conversation.loadedTools()),
        emit: (event) => this.#emit(event),
      })
    try {
      return await this.#wrap(turn, run)
    } finally {
      stopTimer?.()
      stopLogging()
      stopWatching()
      removeMeter()
    }
  }

  async #wrap(turn: Turn, run: () => Promise<TurnEnd>): Promise<TurnEnd> {
    const { turnMiddleware, name = null, within } = this.#options
    if (turnMiddleware === undefined) return await run()
    const { provider, modelId } = this.#model
    const meter = this.#turnMeter
    return await turnMiddleware(
      {
        agent: name,
        conversation: this.#conversation.id,
        turn: turn.id,
        model: { provider, modelId },
        parentUid: within?.uid ?? null,
        usage: () => meter.total(),
      },
      run,
    )
  }

  /** If the function fails, the last prompt is used again. */
  #readSystem(): void {
    const { system = '', runtime } = this.#options
    try {
      // It may contain files, and those may contain secrets.
      this.#context.setSystem(typeof system === 'string' ? system : runtime.redact(system()))
    } catch (error) {
      this.#report('the system prompt could not be read')(error)
    }
  }

  #newTurnMeter(): UsageMeter {
    const { budget, prices = {} } = this.#options
    return new UsageMeter('budget.turn', budget?.turn ?? {}, prices, this.#meter)
  }

  /** A part that is not one would fail every later request. A person may paste a secret. */
  #readParts(parts: readonly UserPart[]): UserPart[] {
    try {
      return redactUserParts(this.#options.runtime, checkUserParts(parts))
    } catch (error) {
      throw new CurfewError('INVALID_OPTION', messageOf(error), { field: 'parts' })
    }
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
    this.#context.useModel(model)
    this.#log.model(nameOfModel(model))
  }

  /** Only where no call waits for its result. */
  #deliverAdded(): void {
    const added = this.#added
    this.#added = []
    for (const parts of added) this.#history.addUser(parts)
  }

  #deliverQueued(): boolean {
    this.#deliverAdded()
    const delivered = this.#prompts.deliver()
    for (const parts of delivered) this.#history.addUser(parts)
    return delivered.length > 0
  }

  #emit(event: AgentEvent): void {
    if (event.type === 'text' || event.type === 'reasoning') this.#state.addText(event.type, event.text)
    // An error of a provider may repeat what it was sent.
    const shown = event.type === 'notice' ? this.#options.runtime.redact(event) : event
    this.#prompts.emit(shown)
  }
}

/** The runtime or the conversation was closed during the turn. */
function isClosed(error: unknown): boolean {
  return error instanceof CurfewError && /^(RUNTIME|CONVERSATION)_CLOSED$/.test(error.code)
}
