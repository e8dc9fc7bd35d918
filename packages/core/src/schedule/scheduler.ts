import type { CallResult } from '../call/call-result.ts'
import type { CallRequest } from '../call/read-calls.ts'
import { withTimer } from '../clock/with-timer.ts'
import { Queue } from '../collections/queue.ts'
import type { TurnState } from '../conversation/turn-state.ts'
import type { ResolvedTimeout } from '../deadline/resolve-timeout.ts'
import { formatDuration } from '../duration/format-duration.ts'
import { CurfewError } from '../errors/curfew-error.ts'
import { Execution } from '../execute/execution.ts'
import type { RuntimeSettings } from '../options/resolve-options.ts'
import { finishNode } from '../order/order.ts'
import { ResourceLocks } from '../order/resource-locks.ts'
import type { SlotCallbacks } from '../order/slots.ts'
import { type ToolSlotCallbacks, ToolSlots } from '../order/tool-slots.ts'
import type { AskPerson } from '../policy/ask-person.ts'
import { Breakers } from '../policy/breakers.ts'
import { captureContext } from '../store/async-context.ts'
import type { Batch } from '../store/batch.ts'
import type { Call } from '../store/call.ts'
import type { CallStore } from '../store/call-store.ts'
import { LiveBatches } from '../store/live-batches.ts'
import type { Conversation, ConversationOptions } from '../tool/conversation.ts'
import type { ToolRegistry } from '../tool/tool-registry.ts'
import { toolView } from '../tool/tool-views.ts'
import { Admission, type AdmissionResult, asCurfewError, circuitOpen } from './admission.ts'
import { ApprovalGate, type GateOutcome } from './approval-gate.ts'
import { askForApproval, type QuestionContext } from './approval-questions.ts'
import { type BackgroundTaskDependencies, detachCall } from './background-tasks.ts'
import { CallFactory } from './call-factory.ts'
import { CallServices } from './call-services.ts'
import { CallSettler } from './call-settler.ts'
import { CallStopper } from './call-stopper.ts'
import { cancelledError } from './cancelled-error.ts'
import { type FirstChangesCallbacks, waitsForFirstChanges } from './first-changes.ts'
import { resolveCallTimeout } from './resolve-call-timeout.ts'
import { StepCalls } from './step-calls.ts'

export interface RunOptions {
  readonly turn: TurnState
  readonly parent: Call | null
  readonly signal?: AbortSignal | undefined
  /** Tool code runs the calls. */
  readonly nested?: boolean
}

const storeWithinMs = 5_000

type OpenConversation = (parent: Call, options: ConversationOptions) => Conversation

/** Takes batches of calls through three passes: admit, run, commit. */
export class Scheduler {
  readonly breakers: Breakers
  readonly services: CallServices
  readonly #settings: RuntimeSettings
  readonly #store: CallStore
  readonly admission: Admission
  readonly gate: ApprovalGate
  readonly #questions: QuestionContext
  readonly #settler: CallSettler
  readonly stopper: CallStopper
  readonly factory: CallFactory
  readonly steps: StepCalls
  readonly #tasks: BackgroundTaskDependencies
  readonly #changes: FirstChangesCallbacks
  readonly #toolSlots: ToolSlots<Call>
  readonly #locks = new ResourceLocks()
  readonly #batches = new LiveBatches()
  readonly #ready = new Queue<Call>()
  #draining = false
  /** The batch that is being admitted in the async context of its caller. */
  #admitting: Batch | null = null

  constructor(
    settings: RuntimeSettings,
    tools: ToolRegistry,
    store: CallStore,
    person: AskPerson,
    openConversation: OpenConversation,
  ) {
    this.#settings = settings
    this.#store = store
    this.breakers = new Breakers(settings.breaker)
    this.services = new CallServices(settings, tools, store, person, {
      runNested: (parent, requests) => this.run(requests, { turn: parent.batch.turn, parent, nested: true }),
      openConversation,
      detach: (call, content) => detachCall(call, this.#tasks, content),
    })
    this.admission = new Admission(settings, tools, this.breakers)
    this.gate = new ApprovalGate(settings.approval, settings.redactor, person, (message, error) =>
      settings.log({ level: 'warn', message, error }),
    )
    this.#questions = {
      settings,
      store,
      gate: this.gate,
      services: this.services,
      onOutcome: (call, outcome) => this.#resume(call, () => this.#onGateOutcome(call, outcome)),
      fail: (call, error) => this.#settler.fail(call, { status: 'error', error }),
      resume: (call, step) => this.#resume(call, step),
    }
    this.factory = new CallFactory(settings, tools, this.#slotCallbacks)
    this.stopper = new CallStopper(this.#batches, (call, error) =>
      this.#settler.fail(call, { status: 'cancelled', error }),
    )
    this.#toolSlots = new ToolSlots(settings.clock, this.#toolSlotCallbacks)
    this.#settler = new CallSettler({
      settings,
      store,
      breakers: this.breakers,
      locks: this.#locks,
      toolSlots: this.#toolSlots,
      services: this.services,
      restart: (call) => this.#guard(call, () => this.#restart(call)),
      stopBatch: (batch, error) => this.stopper.stopBatch(batch, error),
      closeConversation: (conversation) => {
        this.stopper.closeConversation(conversation).catch((error: unknown) => {
          settings.log({
            level: 'warn',
            message: 'the files of a conversation could not be removed',
            error,
          })
        })
      },
      onReady: (call) => this.#onReady(call),
    })
    this.steps = new StepCalls({
      factory: this.factory,
      batches: this.#batches,
      stopper: this.stopper,
      admission: this.admission,
      add: (call) => this.#addCall(call),
      admit: (call, start) => {
        this.#finishAdmission(call, start)
        this.#drain()
      },
      onReady: (call) => this.#onReady(call),
    })
    this.#changes = {
      onReady: (call) => this.#onReady(call),
      fail: (call, error) => this.#settler.fail(call, { status: 'error', error }),
    }
    this.#tasks = {
      settings,
      factory: this.factory,
      batches: this.#batches,
      store,
      settler: this.#settler,
      locks: this.#locks,
    }
  }

  /** Runs a batch. Resolves when all its calls have ended, with their results in request order. */
  run(requests: readonly CallRequest[], options: RunOptions): Promise<CallResult[]> {
    const { turn, parent, signal, nested = false } = options
    const batch = this.factory.createBatch(nested ? 'nested' : 'batch', turn, parent)
    const onAbort = (): void => this.stopper.stopBatch(batch, cancelledError(signal?.reason))
    batch.done = new Promise((resolve) => {
      batch.onDone = (results) => {
        signal?.removeEventListener('abort', onAbort)
        this.#batches.remove(batch)
        resolve(results)
      }
    })
    batch.addOpen(requests.length)
    this.#batches.add(batch)
    signal?.addEventListener('abort', onAbort, { once: true })
    const createdAt = this.#settings.clock.wallTime()
    const asyncContext = captureContext()
    for (const request of requests) {
      const call = this.factory.createCall(batch, request, createdAt)
      call.asyncContext = asyncContext
      this.#addCall(call)
    }
    const { stopReason } = batch
    if (requests.length === 0) batch.onDone([])
    else if (signal?.aborted) onAbort()
    else if (stopReason !== null) this.stopper.stopBatch(batch, cancelledError(stopReason))
    // An observer of the new calls may have stopped them.
    else if (batch.stopError !== null) this.stopper.stopBatch(batch, batch.stopError)
    else void this.#admitAll(batch)
    return batch.done
  }

  #addCall(call: Call): void {
    this.#store.add(call)
    if (call.request.signal !== undefined) this.stopper.watch(call, call.request.signal)
  }

  runningCall(uid: number): Call | undefined {
    return this.#batches.runningCall(uid)
  }

  /** Cancels all calls; those that have not ended after the grace period are settled with `RUNTIME_CLOSED`. */
  async close(): Promise<void> {
    this.#settler.beginClose()
    this.stopper.stopAll(cancelledError('the runtime is closing'))
    await Promise.all(this.#batches.all().map(({ done }) => done))
    await this.stopper.waitForClosing()
    // A program's own function that stores answers may hang.
    const { clock } = this.#settings
    await withTimer(clock, storeWithinMs, (late) => Promise.race([this.gate.stored, late]))
  }

  /** Detaches a call from outside. Returns `null` if it is not running, or already runs in the background. */
  detachRunning(uid: number): Call | null {
    const call = this.runningCall(uid)
    // A task already continues in the background.
    const canDetach = call?.active && !call.background && call.task === null
    return canDetach ? detachCall(call, this.#tasks) : null
  }

  // ---- first pass: admit

  async #admitAll(batch: Batch): Promise<void> {
    // All validations start together, so that slow schemas do not add up; the calls are admitted in order.
    const starts = batch.calls.map((call) => (call.ended ? null : this.admission.begin(call)))
    for (const [index, call] of batch.calls.entries()) {
      let start = starts[index]!
      if (start instanceof Promise) {
        this.#drainFor(batch)
        start = await start
      }
      this.#finishAdmission(call, start)
    }
    this.#drainFor(batch)
  }

  /** Starts calls in the async context of the batch's caller, so that the batch's own calls need not be moved there. */
  #drainFor(batch: Batch): void {
    if (this.#draining) return
    this.#admitting = batch
    this.#drain()
    this.#admitting = null
  }

  #finishAdmission(call: Call, start: AdmissionResult): void {
    if (call.ended) return
    this.#guard(call, () => {
      const error = start instanceof CurfewError ? start : this.admission.finish(call, start)
      // The tool's `resources` may have stopped the call.
      if (call.ended) return
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

  #resume(call: Call, step: () => void): void {
    this.#guard(call, step)
    this.#drain()
  }

  #onAdmitted(call: Call): void {
    if (call.loads) {
      call.approved = true
    } else {
      const decided = this.gate.decide(call)
      const { verdict, allowedBy } = decided
      if (verdict === 'deny') {
        return this.#settler.fail(call, { status: 'error', error: this.gate.denial(call, decided) })
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
    if (!call.approved) return call.asyncContext!.runInAsyncScope(askForApproval, null, call, this.#questions)
    if (waitsForFirstChanges(call, this.#changes)) return
    call.phase = 'slot'
    const { maxConcurrent } = call.tool!
    if (maxConcurrent === undefined) slots.request(call, slotGroup)
    else this.#toolSlots.request(call, maxConcurrent)
  }

  #loadStub(call: Call): void {
    const definition = toolView(call.tool!, 'brief')
    const { timeoutMs, source } = resolveCallTimeout(this.#settings, call)
    this.#store.dispatch(call, { status: 'executing', timeoutMs, timeoutSource: source })
    const text = `${call.name} is loaded and did not run. Call it again with arguments for:\n${JSON.stringify(definition)}`
    this.#settler.succeed(call, { value: definition, text })
  }

  #onGateOutcome(call: Call, outcome: GateOutcome): void {
    if (outcome.kind === 'denied') return this.#settler.fail(call, { status: 'error', error: outcome.error })
    if (outcome.kind === 'stop') return this.stopper.stopRootTurn(call.batch, outcome.error)
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
    expire: (call, waitedMs) =>
      this.#onQueueTimeout(call, waitedMs, `one of ${this.#settings.concurrency} slots (concurrency)`),
  }

  readonly #toolSlotCallbacks: ToolSlotCallbacks<Call> = {
    request: (call) => call.batch.slots.request(call, call.batch.slotGroup),
    maxWaitMs: () => this.#settings.queueTimeout ?? Number.POSITIVE_INFINITY,
    expire: (call, waitedMs) => {
      const limit = `${call.tool!.maxConcurrent} (maxConcurrent)`
      this.#onQueueTimeout(call, waitedMs, `its turn, because at most ${limit} calls of it run at a time`)
    },
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
      this.#toolSlots.leave(call)
      return false
    }
    const denied = this.gate.deniedSince(call)
    if (denied !== null) {
      this.#settler.fail(call, { status: 'error', error: denied })
      return false
    }
    const now = this.#settings.clock.now()
    const blocked = this.breakers.blocked(tool, now)
    if (blocked !== null) {
      this.#settler.fail(call, { status: 'error', error: circuitOpen(blocked) })
      return false
    }
    if (!this.#toolSlots.take(call)) return false
    this.breakers.start(tool, call.uid, now)
    this.#start(call)
    return true
  }

  #onQueueTimeout(call: Call, waitedMs: number, waitedFor: string): void {
    if (call.phase !== 'slot') return
    const message = `${call.name} waited ${formatDuration(waitedMs)} for ${waitedFor}, and did not run`
    this.#settler.fail(call, { status: 'error', error: new CurfewError('QUEUE_TIMEOUT', message) })
  }

  #start(call: Call): void {
    const timeout = resolveCallTimeout(this.#settings, call)
    const warning = this.services.abandoned.warning(call)
    if (warning !== null) call.notices = [warning]
    const execution = this.#createExecution(call, timeout)
    call.startedAt = this.#settings.clock.wallTime()
    call.activeAt = call.startedAt
    const { timeoutMs, source } = timeout
    this.#store.dispatch(call, { status: 'executing', timeoutMs, timeoutSource: source })
    if (call.batch === this.#admitting) execution.start()
    else call.asyncContext!.runInAsyncScope(execution.start, execution)
  }

  #restart(call: Call): void {
    call.output?.startAttempt()
    call.activeAt = this.#settings.clock.wallTime()
    const execution = this.#createExecution(call, resolveCallTimeout(this.#settings, call))
    this.#store.touch(call)
    call.asyncContext!.runInAsyncScope(execution.start, execution)
  }

  #createExecution(call: Call, timeout: ResolvedTimeout): Execution<Call> {
    call.phase = 'running'
    call.replacementsAtStart = this.services.credentials.replacements
    call.execution = new Execution(this.#settings, this.services, this.#settler, {
      call,
      tool: call.tool!,
      params: call.params,
      timeout,
      adapter: call.background ? 'background' : call.tool!.adapter,
      parentTimer: call.parent?.execution?.timer ?? null,
    })
    return call.execution
  }
}
