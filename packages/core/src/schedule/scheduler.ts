import type { CallResult } from '../call/call-result.ts'
import type { CallRequest } from '../call/read-calls.ts'
import { Queue } from '../collections/queue.ts'
import type { ResolvedTimeout } from '../deadline/resolve-timeout.ts'
import { formatDuration } from '../duration/format-duration.ts'
import { CurfewError } from '../errors/curfew-error.ts'
import { Execution } from '../execute/execution.ts'
import type { RuntimeSettings } from '../options/resolve-options.ts'
import { finishNode } from '../order/order.ts'
import { ResourceLocks } from '../order/resource-locks.ts'
import { type SlotCallbacks, Slots } from '../order/slots.ts'
import { SpillDirectory } from '../output/spill-directory.ts'
import type { AskPerson } from '../policy/ask-person.ts'
import { Breakers } from '../policy/breakers.ts'
import type { Turn } from '../policy/turns.ts'
import { Batch } from '../store/batch.ts'
import { Call } from '../store/call.ts'
import type { CallStore } from '../store/call-store.ts'
import { LiveBatches } from '../store/live-batches.ts'
import type { ToolRegistry } from '../tool/tool-registry.ts'
import { toolView } from '../tool/tool-views.ts'
import { Admission, asCurfewError, circuitOpen } from './admission.ts'
import { ApprovalGate, type GateOutcome } from './approval-gate.ts'
import { CallServices } from './call-services.ts'
import { CallSettler } from './call-settler.ts'
import { cancelledError } from './cancelled-error.ts'
import { resolveCallTimeout } from './resolve-call-timeout.ts'
import { addWithdrawal } from './withdrawals.ts'

export interface BatchOptions {
  readonly turn: Turn
  readonly parent: Call | null
  readonly signal: AbortSignal | undefined
}

/** Takes batches of calls through three passes: admit, run, commit. */
export class Scheduler {
  readonly breakers: Breakers
  readonly services: CallServices
  readonly #settings: RuntimeSettings
  readonly #tools: ToolRegistry
  readonly #store: CallStore
  readonly #admission: Admission
  readonly #gate: ApprovalGate
  readonly #settler: CallSettler
  readonly #slots: Slots<Call>
  readonly #locks = new ResourceLocks()
  readonly #batches = new LiveBatches()
  readonly #spill: SpillDirectory
  readonly #ready = new Queue<Call>()
  readonly #toStop = new Queue<{ readonly batch: Batch; readonly error: CurfewError }>()
  #draining = false
  #stopping = false
  #lastUid = 0
  #lastBatch = 0

  constructor(settings: RuntimeSettings, tools: ToolRegistry, store: CallStore, person: AskPerson) {
    this.#settings = settings
    this.#tools = tools
    this.#store = store
    this.#spill = new SpillDirectory(settings.spillDirectory)
    this.breakers = new Breakers(settings.breaker)
    this.services = new CallServices(settings, tools, store, person, (parent, requests) =>
      this.run(requests, { turn: parent.batch.turn, parent, signal: undefined }),
    )
    this.#admission = new Admission(settings, tools, this.breakers)
    this.#gate = new ApprovalGate(settings.approval, settings.redactor, person, (message, error) =>
      settings.log({ level: 'warn', message, error }),
    )
    this.#slots = new Slots(settings.clock, settings.concurrency, this.#slotCallbacks)
    this.#settler = new CallSettler(
      { settings, store, breakers: this.breakers, locks: this.#locks, services: this.services },
      {
        restart: (call) => this.#guard(call, () => this.#restart(call)),
        stopBatch: (batch, error) => this.stopBatch(batch, error),
        onReady: (call) => this.#onReady(call),
      },
    )
  }

  /** Runs a batch. Resolves when all its calls have ended, with their results in request order. */
  run(requests: readonly CallRequest[], { turn, parent, signal }: BatchOptions): Promise<CallResult[]> {
    const { clock, concurrency } = this.#settings
    // Nested calls do not compete with their ancestors for slots: eight subagents would deadlock.
    const slots = parent === null ? this.#slots : new Slots(clock, concurrency, this.#slotCallbacks)
    const batch = new Batch(++this.#lastBatch, turn, parent, slots, this.#spill)
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
    const createdAt = clock.wallTime()
    for (const [index, request] of this.#redact(requests, parent).entries()) {
      const call = new Call(++this.#lastUid, request, index, batch, createdAt)
      batch.calls.push(call)
      this.#store.add(call)
    }
    if (requests.length === 0) batch.onDone([])
    else if (signal?.aborted) onAbort()
    else if (turn.stopped) this.stopBatch(batch, cancelledError('this turn was stopped'))
    // An observer of the new calls may have stopped them.
    else if (batch.stopError !== null) this.stopBatch(batch, batch.stopError)
    else void this.#admitAll(batch)
    return batch.done
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

  runningCall(uid: number): Call | undefined {
    return this.#batches.runningCall(uid)
  }

  /** Stops every live call with this id; returns their number. */
  stopCalls(id: string, error: CurfewError): number {
    const calls = this.#batches.callsWithId(id)
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

  #stopTurn(turn: Turn, error: CurfewError): void {
    turn.stopped = true
    for (const batch of this.#batches.all()) {
      if (batch.turn === turn) this.stopBatch(batch, error)
    }
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
    await this.#spill.close()
  }

  // ---- first pass: admit

  async #admitAll(batch: Batch): Promise<void> {
    // All validations start together, so that slow schemas do not add up; the calls are admitted in order.
    const starts = batch.calls.map((call) => (call.ended ? null : this.#admission.begin(call)))
    for (const [index, call] of batch.calls.entries()) {
      let start = starts[index]!
      if (start instanceof Promise) {
        this.#drain()
        start = await start
      }
      if (call.ended) continue
      this.#guard(call, () => {
        const error = start instanceof CurfewError ? start : this.#admission.finish(call, start)
        if (error !== null) this.#settler.fail(call, { status: 'error', error })
        else this.#onAdmitted(call)
      })
    }
    this.#drain()
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
      const { verdict, rule } = this.#gate.decide(call)
      if (verdict === 'deny') {
        return this.#settler.fail(call, { status: 'error', error: this.#gate.denial(call, rule) })
      }
      call.approved = verdict === 'allow'
      call.batch.order.add(call, call.conflictClass)
      if (call.keys.length > 0) this.#locks.acquire(call)
    }
    call.phase = 'order'
    if (call.approved) this.#store.dispatch(call, { status: 'scheduled' })
    if (call.blockers === 0) this.#ready.push(call)
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
    const { stopError, slots } = call.batch
    if (call.blockers > 0) return
    if (call.ended) return finishNode(call, (ready) => this.#onReady(ready))
    if (stopError !== null) return this.#settler.fail(call, { status: 'cancelled', error: stopError })
    if (call.loads) return this.#loadStub(call)
    if (!call.approved) return this.#ask(call)
    call.phase = 'slot'
    slots.request(call)
  }

  #loadStub(call: Call): void {
    const definition = toolView(call.tool!, 'brief')
    const { timeoutMs, source } = resolveCallTimeout(this.#settings, call)
    this.#store.dispatch(call, { status: 'executing', timeoutMs, timeoutSource: source })
    const text = `${call.name} is loaded and did not run. Call it again with arguments for:\n${JSON.stringify(definition)}`
    this.#settler.succeed(call, { value: definition, text, path: null })
  }

  #ask(call: Call): void {
    // Decided again, because an answer since the admission may cover this call.
    const { verdict, rule } = this.#gate.decide(call)
    if (verdict === 'deny')
      return this.#settler.fail(call, { status: 'error', error: this.#gate.denial(call, rule) })
    if (verdict === 'allow') return this.#onGateOutcome(call, { kind: 'approved' })
    const question = this.#gate.question(call, rule)
    call.phase = 'question'
    this.#store.dispatch(call, { status: 'awaiting_approval', question })
    if (call.ended) return
    const resume = this.services.pause(call.parent)
    const withdraw = this.#gate.ask(call, question, (outcome) => {
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
    if (outcome.kind === 'stop') return this.#stopTurn(call.batch.turn, outcome.error)
    call.approved = true
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
    maxWaitMs: (call) => this.#settings.queueTimeout ?? resolveCallTimeout(this.#settings, call).timeoutMs,
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
    call.output?.startAttempt()
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
