import type { CallResult } from '../call/call-result.ts'
import type { CallRequest } from '../call/read-calls.ts'
import { Queue } from '../collections/queue.ts'
import type { ConversationState } from '../conversation/conversation-state.ts'
import type { TurnState } from '../conversation/turn-state.ts'
import { adapterTimeouts } from '../deadline/adapter-timeouts.ts'
import type { ResolvedTimeout } from '../deadline/resolve-timeout.ts'
import { formatDuration } from '../duration/format-duration.ts'
import { CurfewError } from '../errors/curfew-error.ts'
import { Execution } from '../execute/execution.ts'
import type { RuntimeSettings } from '../options/resolve-options.ts'
import { finishNode } from '../order/order.ts'
import { ResourceLocks } from '../order/resource-locks.ts'
import { type SlotCallbacks, SlotGroup, Slots } from '../order/slots.ts'
import type { AskPerson } from '../policy/ask-person.ts'
import { Breakers } from '../policy/breakers.ts'
import type { Validation } from '../schema/compile-schema.ts'
import { Batch } from '../store/batch.ts'
import { Call } from '../store/call.ts'
import type { CallStore } from '../store/call-store.ts'
import { LiveBatches } from '../store/live-batches.ts'
import type { Conversation, ConversationOptions } from '../tool/conversation.ts'
import type { ToolRegistry } from '../tool/tool-registry.ts'
import { toolView } from '../tool/tool-views.ts'
import { Admission, asCurfewError, circuitOpen } from './admission.ts'
import { ApprovalGate, type GateOutcome } from './approval-gate.ts'
import { CallServices } from './call-services.ts'
import { CallSettler } from './call-settler.ts'
import { cancelledError } from './cancelled-error.ts'
import { commitBatch } from './commit-batch.ts'
import { resolveCallTimeout } from './resolve-call-timeout.ts'
import { addWithdrawal } from './withdrawals.ts'

export interface RunOptions {
  readonly turn: TurnState
  readonly parent: Call | null
  readonly signal?: AbortSignal | undefined
  /** Tool code runs the calls. */
  readonly nested?: boolean
}

type OpenConversation = (parent: Call, options: ConversationOptions) => Conversation

/** Takes batches of calls through three passes: admit, run, commit. */
export class Scheduler {
  readonly breakers: Breakers
  readonly services: CallServices
  readonly #settings: RuntimeSettings
  readonly #tools: ToolRegistry
  readonly #store: CallStore
  readonly admission: Admission
  readonly gate: ApprovalGate
  readonly #settler: CallSettler
  readonly #slots: Slots<Call>
  readonly #locks = new ResourceLocks()
  readonly #batches = new LiveBatches()
  readonly #ready = new Queue<Call>()
  readonly #toStop = new Queue<{ readonly batch: Batch; readonly error: CurfewError }>()
  #draining = false
  #stopping = false
  #lastUid = 0

  constructor(
    settings: RuntimeSettings,
    tools: ToolRegistry,
    store: CallStore,
    person: AskPerson,
    openConversation: OpenConversation,
  ) {
    this.#settings = settings
    this.#tools = tools
    this.#store = store
    this.breakers = new Breakers(settings.breaker)
    this.services = new CallServices(settings, tools, store, person, {
      runNested: (parent, requests) => this.run(requests, { turn: parent.batch.turn, parent, nested: true }),
      openConversation,
      detach: (call, content) => this.detach(call, content),
    })
    this.admission = new Admission(settings, tools, this.breakers)
    this.gate = new ApprovalGate(settings.approval, settings.redactor, person, (message, error) =>
      settings.log({ level: 'warn', message, error }),
    )
    this.#slots = this.#createSlots()
    this.#settler = new CallSettler(
      { settings, store, breakers: this.breakers, locks: this.#locks, services: this.services },
      {
        restart: (call) => this.#guard(call, () => this.#restart(call)),
        stopBatch: (batch, error) => this.stopBatch(batch, error),
        closeConversations: (conversations) => {
          for (const conversation of conversations) void this.closeConversation(conversation)
        },
        onReady: (call) => this.#onReady(call),
      },
    )
  }

  /** Runs a batch. Resolves when all its calls have ended, with their results in request order. */
  run(requests: readonly CallRequest[], options: RunOptions): Promise<CallResult[]> {
    const { turn, parent, signal, nested = false } = options
    const batch = this.#createBatch(nested ? 'nested' : 'batch', turn, parent)
    const onAbort = (): void => this.stopBatch(batch, cancelledError(signal?.reason))
    batch.done = new Promise((resolve) => {
      batch.onDone = (results) => {
        signal?.removeEventListener('abort', onAbort)
        this.#batches.remove(batch)
        parent?.children?.delete(batch)
        resolve(results)
      }
    })
    batch.open = requests.length
    turn.live += batch.open
    this.#batches.add(batch)
    if (parent !== null) parent.children = (parent.children ?? new Set()).add(batch)
    signal?.addEventListener('abort', onAbort, { once: true })
    for (const request of this.#redact(requests, parent)) this.#addCall(batch, request)
    if (requests.length === 0) batch.onDone([])
    else if (signal?.aborted) onAbort()
    else if (turn.stopped) this.stopBatch(batch, cancelledError('this turn was stopped'))
    // An observer of the new calls may have stopped them.
    else if (batch.stopError !== null) this.stopBatch(batch, batch.stopError)
    else void this.#admitAll(batch)
    return batch.done
  }

  /** A batch whose calls are added with `reserve`. */
  createStep(turn: TurnState, parent: Call | null): Batch {
    return this.#createBatch('step', turn, parent)
  }

  /** Adds a call to a step. It keeps its place in the order and runs after `startReserved`. */
  reserve(step: Batch, request: CallRequest): Call {
    const { turn, parent } = step
    if (!step.live) this.#activateStep(step)
    step.open++
    turn.live++
    const [redacted] = this.#redact([request], parent)
    const call = this.#addCall(step, redacted!)
    call.reserved = true
    call.blockers++
    if (turn.stopped) this.#stop(call, cancelledError('this turn was stopped'))
    else if (step.stopError !== null) this.#stop(call, step.stopError)
    else this.#admitReserved(call)
    return call
  }

  #activateStep(step: Batch): void {
    const { parent } = step
    this.#batches.add(step)
    if (parent !== null) parent.children = (parent.children ?? new Set()).add(step)
    step.done = new Promise((resolve) => {
      step.onIdle = () => {
        this.#batches.remove(step)
        step.parent?.children?.delete(step)
        resolve(step.results)
      }
    })
  }

  startReserved(call: Call, signal: AbortSignal | undefined): void {
    if (call.ended) return
    if (signal !== undefined) this.#watch(call, signal)
    if (!call.reserved) return
    call.reserved = false
    call.blockers--
    if (call.phase === 'order' && call.blockers === 0) this.#onReady(call)
  }

  /** Cancels a call that was not started. */
  releaseReserved(call: Call): void {
    if (call.reserved) this.#stop(call, cancelledError('the call was not started'))
  }

  closeStep(step: Batch): void {
    if (step.closed) return
    step.closed = true
    for (const call of step.calls) this.releaseReserved(call)
    if (step.open === 0) commitBatch(step)
  }

  #createBatch(kind: Batch['kind'], turn: TurnState, parent: Call | null): Batch {
    // Nested calls do not compete with their ancestors for slots: eight subagents would deadlock.
    const slots = parent === null ? this.#slots : this.#createSlots()
    const slotGroup = parent === null ? turn.conversation.slotGroup : new SlotGroup()
    return new Batch({ kind, turn, parent, slots, slotGroup })
  }

  #createSlots(): Slots<Call> {
    const { clock, concurrency, queueTimeout } = this.#settings
    return new Slots(clock, concurrency, queueTimeout, this.#slotCallbacks)
  }

  #addCall(batch: Batch, request: CallRequest): Call {
    const createdAt = this.#settings.clock.wallTime()
    const call = new Call(++this.#lastUid, request, batch.calls.length, batch, createdAt)
    batch.calls.push(call)
    this.#store.add(call)
    if (request.signal !== undefined) this.#watch(call, request.signal)
    return call
  }

  #watch(call: Call, signal: AbortSignal): void {
    if (signal.aborted) return this.#stop(call, cancelledError(signal.reason))
    const onAbort = (): void => this.#stop(call, cancelledError(signal.reason))
    signal.addEventListener('abort', onAbort, { once: true })
    addWithdrawal(call, () => signal.removeEventListener('abort', onAbort))
  }

  /** Ids and names appear in results and logs. A tool may put a secret into the ids of its calls, and a model into an unknown name. */
  #redact(requests: readonly CallRequest[], parent: Call | null): readonly CallRequest[] {
    const { redactor } = this.#settings
    if (!redactor.active) return requests
    return requests.map((request) => {
      const id = parent === null ? request.id : redactor.text(request.id)
      const name = this.#tools.get(request.name) === undefined ? redactor.text(request.name) : request.name
      return id === request.id && name === request.name ? request : { ...request, id, name }
    })
  }

  /** A call that has not been admitted, to decide what would happen to it. */
  createDraft(request: CallRequest, turn: TurnState): Call {
    return new Call(0, request, 0, this.#createBatch('batch', turn, null), 0)
  }

  runningCall(uid: number): Call | undefined {
    return this.#batches.runningCall(uid)
  }

  /** Stops every live call with this id, or the one with this uid; returns their number. */
  stopCalls(id: string | { readonly uid: number }, error: CurfewError): number {
    const calls = typeof id === 'string' ? this.#batches.callsWithId(id) : this.#batches.callsWithUid(id.uid)
    for (const call of calls) this.#stop(call, error)
    return calls.length
  }

  /** A loop instead of recursion: stopping a call stops the batches inside it, which may be nested a thousand levels deep. */
  stopBatch(batch: Batch, error: CurfewError): void {
    batch.stopError ??= error
    this.#toStop.push({ batch, error })
    if (this.#stopping) return
    this.#stopping = true
    try {
      for (let next = this.#toStop.shift(); next !== undefined; next = this.#toStop.shift()) {
        for (const call of next.batch.calls) this.#stop(call, next.error)
      }
    } finally {
      this.#stopping = false
    }
  }

  stopAll(error: CurfewError): void {
    for (const batch of this.#batches.all()) this.stopBatch(batch, error)
  }

  /** Stops a turn and everything beneath it, except for background tasks. */
  stopTurn(turn: TurnState, error: CurfewError): void {
    turn.cancel()
    this.#stopWhere((batch) => batch.kind !== 'task' && batch.turn.isWithin(turn), error)
  }

  #stopRootTurn(turn: TurnState, error: CurfewError): void {
    turn.root.stopped = true
    this.#stopWhere((batch) => batch.kind !== 'task' && batch.turn.root === turn.root, error)
  }

  #stopWhere(matches: (batch: Batch) => boolean, error: CurfewError): void {
    for (const batch of this.#batches.all()) if (matches(batch)) this.stopBatch(batch, error)
  }

  /** Stops everything in a conversation, including background tasks, and removes its files. */
  async closeConversation(conversation: ConversationState): Promise<void> {
    conversation.closed = true
    const isInside = (batch: Batch): boolean => batch.turn.conversation.isWithin(conversation)
    const batches = this.#batches.all().filter(isInside)
    this.#stopWhere(isInside, cancelledError('the conversation was closed'))
    await Promise.all(batches.map(({ done }) => done))
    conversation.handlers = null
    await conversation.closeFiles()
  }

  #stop(call: Call, error: CurfewError): void {
    if (call.ended) return
    if (call.phase !== 'running') return this.#settler.fail(call, { status: 'cancelled', error })
    call.execution!.stop(error)
    call.stopSpill?.()
  }

  /** Cancels all calls; those that have not ended after the grace period are settled with `RUNTIME_CLOSED`. */
  async close(): Promise<void> {
    this.#settler.beginClose()
    this.stopAll(cancelledError('the runtime is closing'))
    await Promise.all(this.#batches.all().map(({ done }) => done))
  }

  /** Detaches a call from outside. Returns `null` if it is not running, or already runs in the background. */
  detachRunning(uid: number): Call | null {
    const call = this.runningCall(uid)
    if (call === undefined || call.background || call.execution!.stopping) return null
    return this.detach(call)
  }

  /** Continues a running call as a background task with its own row and limit; the call ends. Returns the task. */
  detach(call: Call, content?: string): Call {
    const { clock } = this.#settings
    const execution = call.execution!
    const batch = this.#createBatch('task', call.batch.turn, null)
    batch.open = 1
    batch.turn.live++
    batch.done = new Promise((resolve) => {
      batch.onDone = (results) => {
        this.#batches.remove(batch)
        resolve(results)
      }
    })
    this.#batches.add(batch)
    const task = new Call(++this.#lastUid, call.request, 0, batch, clock.wallTime())
    batch.calls.push(task)
    this.#moveExecution(call, task)
    const timeoutMs = this.#settings.timeouts.background ?? adapterTimeouts.background.defaultMs!
    const source = this.#settings.timeouts.background === undefined ? 'adapter' : 'timeouts'
    this.#store.add(task)
    this.#store.dispatch(task, { status: 'scheduled' })
    this.#store.dispatch(task, { status: 'executing', timeoutMs, timeoutSource: source })
    call.detachedTo = task.uid
    const text = content ?? `${call.name} continues in the background as task ${task.uid}.`
    this.#settler.detach(call, task.uid, text)
    execution.moveTo(task, { timeoutMs, source })
    return task
  }

  #moveExecution(call: Call, task: Call): void {
    task.tool = call.tool
    task.params = call.params
    task.phase = 'running'
    task.approved = true
    task.allowedBy = call.allowedBy
    task.startedAt = task.createdAt
    task.heals = call.heals
    task.replacementsAtStart = call.replacementsAtStart
    task.secretsRead = call.secretsRead
    task.progress = call.progress
    task.execution = call.execution
    task.children = call.children
    task.conversations = call.conversations
    task.withdrawals = call.withdrawals
    for (const child of task.children ?? []) child.parent = task
    call.children = null
    call.conversations = null
    call.withdrawals = null
  }

  // ---- first pass: admit

  async #admitAll(batch: Batch): Promise<void> {
    // All validations start together, so that slow schemas do not add up; the calls are admitted in order.
    const starts = batch.calls.map((call) => (call.ended ? null : this.admission.begin(call)))
    for (const [index, call] of batch.calls.entries()) {
      let start = starts[index]!
      if (start instanceof Promise) {
        this.#drain()
        start = await start
      }
      this.#finishAdmission(call, start)
    }
    this.#drain()
  }

  /** The calls of a step are admitted in order, too. */
  #admitReserved(call: Call): void {
    const { batch } = call
    const start = this.admission.begin(call)
    if (batch.admissions === null && !(start instanceof Promise)) {
      this.#finishAdmission(call, start)
      return this.#drain()
    }
    const earlier = batch.admissions
    const admit = async (): Promise<void> => {
      await earlier
      this.#finishAdmission(call, await start)
      this.#drain()
    }
    const admitted = admit().finally(() => {
      if (batch.admissions === admitted) batch.admissions = null
    })
    batch.admissions = admitted
  }

  #finishAdmission(call: Call, start: Validation | CurfewError): void {
    if (call.ended) return
    this.#guard(call, () => {
      const error = start instanceof CurfewError ? start : this.admission.finish(call, start)
      if (error !== null) this.#settler.fail(call, { status: 'error', error })
      else this.#onAdmitted(call)
    })
  }

  /** An error in one step of a call ends only that call. */
  #guard(call: Call, step: () => void): void {
    try {
      step()
    } catch (error) {
      this.#settler.fail(call, { status: 'error', error: asCurfewError(call, error) })
    }
  }

  #onAdmitted(call: Call): void {
    if (call.loads) {
      call.approved = true
    } else {
      const { verdict, rule, allowedBy } = this.gate.decide(call)
      if (verdict === 'deny') {
        return this.#settler.fail(call, { status: 'error', error: this.gate.denial(call, rule) })
      }
      call.approved = verdict === 'allow'
      call.allowedBy = allowedBy
      call.batch.order.add(call, call.conflictClass)
      if (call.keys.length > 0) {
        // A call of a step may never be started, so it must not block other batches yet.
        if (call.batch.kind === 'step') call.batch.orderByKeys(call)
        else this.#lock(call)
      }
    }
    call.phase = 'order'
    if (call.approved) this.#store.dispatch(call, { status: 'scheduled' })
    if (call.blockers === 0) this.#ready.push(call)
  }

  #lock(call: Call): void {
    call.locked = true
    this.#locks.acquire(call)
  }

  // ---- second pass: run

  #onReady(call: Call): void {
    if (call.phase !== 'order' && call.phase !== 'ended') return
    this.#ready.push(call)
    this.#drain()
  }

  /** A loop instead of recursion: each of thousands of calls may make the next one ready. */
  #drain(): void {
    if (this.#draining) return
    this.#draining = true
    try {
      for (let call = this.#ready.shift(); call !== undefined; call = this.#ready.shift()) {
        const next = call
        this.#guard(next, () => this.#advance(next))
      }
    } finally {
      this.#draining = false
    }
  }

  #advance(call: Call): void {
    const { stopError, slots, slotGroup } = call.batch
    if (call.blockers > 0) return
    if (call.ended) return finishNode(call, (ready) => this.#onReady(ready))
    if (stopError !== null) return this.#settler.fail(call, { status: 'cancelled', error: stopError })
    if (call.loads) return this.#loadStub(call)
    if (call.keys.length > 0 && !call.locked) {
      this.#lock(call)
      if (call.blockers > 0) return
    }
    if (!call.approved) return this.#ask(call)
    call.phase = 'slot'
    slots.request(call, slotGroup)
  }

  #loadStub(call: Call): void {
    const definition = toolView(call.tool!, 'brief')
    const { timeoutMs, source } = resolveCallTimeout(this.#settings, call)
    this.#store.dispatch(call, { status: 'executing', timeoutMs, timeoutSource: source })
    const text = `${call.name} is loaded and did not run. Call it again with arguments for:\n${JSON.stringify(definition)}`
    this.#settler.succeed(call, definition, text)
  }

  #ask(call: Call): void {
    // Decided again, because an answer since the admission may cover this call.
    const { verdict, rule, allowedBy } = this.gate.decide(call)
    if (verdict === 'deny')
      return this.#settler.fail(call, { status: 'error', error: this.gate.denial(call, rule) })
    if (allowedBy !== null) return this.#onGateOutcome(call, { kind: 'approved', allowedBy })
    const question = this.gate.question(call, rule)
    call.phase = 'question'
    this.#store.dispatch(call, { status: 'awaiting_approval', question })
    if (call.ended) return
    const resume = this.services.pause(call.parent)
    const withdraw = this.gate.ask(call, question, (outcome) => {
      unregister()
      resume()
      this.#guard(call, () => this.#onGateOutcome(call, outcome))
      this.#drain()
    })
    const unregister = addWithdrawal(call, () => {
      resume()
      withdraw()
    })
  }

  #onGateOutcome(call: Call, outcome: GateOutcome): void {
    if (outcome.kind === 'denied') return this.#settler.fail(call, { status: 'error', error: outcome.error })
    if (outcome.kind === 'stop') return this.#stopRootTurn(call.batch.turn, outcome.error)
    call.approved = true
    call.allowedBy = outcome.allowedBy
    call.phase = 'order'
    this.#store.dispatch(call, { status: 'scheduled' })
    if (call.blockers === 0) this.#ready.push(call)
  }

  readonly #slotCallbacks: SlotCallbacks<Call> = {
    start: (call) => {
      try {
        return this.#onSlot(call)
      } catch (error) {
        this.#settler.fail(call, { status: 'error', error: asCurfewError(call, error) })
        return false
      }
    },
    expire: (call, waitedMs) => this.#onQueueTimeout(call, waitedMs),
  }

  #onSlot(call: Call): boolean {
    const tool = call.tool!
    const { stopError } = call.batch
    if (call.phase !== 'slot') return false
    if (stopError !== null) {
      this.#settler.fail(call, { status: 'cancelled', error: stopError })
      return false
    }
    if (call.blockers > 0) {
      // A nested call of another batch went ahead while this one was queued.
      call.phase = 'order'
      return false
    }
    const now = this.#settings.clock.now()
    const blocked = this.breakers.blocked(tool, now)
    if (blocked !== null) {
      this.#settler.fail(call, { status: 'error', error: circuitOpen(blocked) })
      return false
    }
    this.breakers.start(tool, call.uid, now)
    this.#start(call)
    return true
  }

  #onQueueTimeout(call: Call, waitedMs: number): void {
    if (call.phase !== 'slot') return
    const message = `${call.name} waited ${formatDuration(waitedMs)} for one of ${this.#settings.concurrency} slots (concurrency) and did not run`
    this.#settler.fail(call, { status: 'error', error: new CurfewError('QUEUE_TIMEOUT', message) })
  }

  #start(call: Call): void {
    const timeout = resolveCallTimeout(this.#settings, call)
    const warning = this.services.abandoned.warning(call)
    if (warning !== null) call.notices.push(warning)
    const execution = this.#createExecution(call, timeout)
    call.startedAt = this.#settings.clock.wallTime()
    const { timeoutMs, source } = timeout
    this.#store.dispatch(call, { status: 'executing', timeoutMs, timeoutSource: source })
    execution.start()
  }

  #restart(call: Call): void {
    const execution = this.#createExecution(call, resolveCallTimeout(this.#settings, call))
    this.#store.touch(call)
    execution.start()
  }

  #createExecution(call: Call, timeout: ResolvedTimeout): Execution<Call> {
    call.phase = 'running'
    call.replacementsAtStart = this.services.credentials.replacements
    call.execution = new Execution(this.#settings, this.services, this.#settler, {
      call,
      tool: call.tool!,
      params: call.params,
      timeout,
      parentTimer: call.parent?.execution?.timer ?? null,
    })
    return call.execution
  }
}
