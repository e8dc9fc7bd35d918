import { buildFailure, buildSuccess, type FailureDetails } from '../call/build-result.ts'
import { Call, type CallOwner } from '../call/call.ts'
import type { CallFailure, CallResult, CallSuccess } from '../call/call-result.ts'
import type { ToolCall } from '../call/tool-call.ts'
import { Queue } from '../collections/queue.ts'
import type { ResolvedTimeout } from '../deadline/resolve-timeout.ts'
import { formatDuration } from '../duration/format-duration.ts'
import { CurfewError } from '../errors/curfew-error.ts'
import { messageOf } from '../errors/message-of.ts'
import { Execution, type ExecutionOutcome } from '../execute/execution.ts'
import { type HiddenValue, ResultWriter } from '../output/result-writer.ts'
import type { AskPerson } from '../policy/ask-person.ts'
import { Breakers } from '../policy/breakers.ts'
import type { Turn } from '../policy/turns.ts'
import type { RuntimeSettings } from '../runtime/runtime-options.ts'
import type { CredentialRequiredError } from '../secrets/credential-required-error.ts'
import { rejectedCredential } from '../secrets/rejected-credential.ts'
import type { CallStore } from '../store/call-store.ts'
import type { ToolRegistry } from '../tool/tool-registry.ts'
import { toolView } from '../tool/tool-views.ts'
import { Admission, asRefusal, circuitOpen } from './admission.ts'
import { ApprovalGate, type GateOutcome } from './approval-gate.ts'
import { Batch } from './batch.ts'
import { breakerOutcomes } from './breaker-outcome.ts'
import { assertRunning, CallServices } from './call-services.ts'
import { resolveCallTimeout } from './call-timeout.ts'
import { cancelled, stoppedWith } from './cancelled.ts'
import { type CallRequest, checkBatch } from './check-batch.ts'
import { commitBatch } from './commit.ts'
import { LiveBatches } from './live-batches.ts'
import { finishNode } from './order.ts'
import { ResourceLocks } from './resource-locks.ts'
import { Slots } from './slots.ts'

export interface BatchOptions {
  readonly turn: Turn
  readonly parent: Call | null
  readonly signal: AbortSignal | undefined
}

/** Takes batches of calls through their three passes: admit, run, commit. */
export class Scheduler implements CallOwner {
  readonly #settings: RuntimeSettings
  readonly #tools: ToolRegistry
  readonly #store: CallStore
  readonly #admission: Admission
  readonly #gate: ApprovalGate
  readonly #slots: Slots<Call>
  readonly #locks = new ResourceLocks()
  readonly #results: ResultWriter
  readonly #batches = new LiveBatches()
  readonly #ready = new Queue<Call>()
  readonly #toStop = new Queue<{ readonly batch: Batch; readonly error: CurfewError }>()
  readonly breakers: Breakers
  readonly services: CallServices
  #draining = false
  #stopping = false
  #closing = false
  #uids = 0

  constructor(settings: RuntimeSettings, tools: ToolRegistry, store: CallStore, person: AskPerson) {
    this.#settings = settings
    this.#tools = tools
    this.#store = store
    this.services = new CallServices(settings, tools, store, person)
    this.breakers = new Breakers(settings.breaker)
    this.#admission = new Admission(settings, tools, this.breakers)
    this.#gate = new ApprovalGate(settings.approval, settings.redactor, person, (message, error) =>
      settings.log({ level: 'warn', message, error }),
    )
    this.#slots = new Slots(settings.clock, settings.concurrency)
    this.#results = new ResultWriter(settings)
  }

  /** Runs a batch. Resolves when all its calls have ended, with their results in the order of the calls. */
  run(requests: readonly CallRequest[], { turn, parent, signal }: BatchOptions): Promise<CallResult[]> {
    const { clock, concurrency } = this.#settings
    // Nested calls take no slot of their ancestors: eight subagents would wait for each other for ever.
    const slots = parent === null ? this.#slots : new Slots<Call>(clock, concurrency)
    const batch = new Batch(turn, parent, slots)
    const onAbort = (): void => this.stopBatch(batch, cancelled(signal?.reason))
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
    for (const [index, request] of this.#withoutSecrets(requests, parent).entries()) {
      const call = new Call(this, this.services, ++this.#uids, request, index, batch, createdAt)
      batch.calls.push(call)
      this.#store.add(call)
    }
    if (requests.length === 0) batch.onDone([])
    else if (signal?.aborted) onAbort()
    else if (turn.stopped) this.stopBatch(batch, cancelled('this turn was stopped'))
    // Somebody who watches the calls being made may have stopped them already.
    else if (batch.stopError !== null) this.stopBatch(batch, batch.stopError)
    else void this.#admitAll(batch)
    return batch.done
  }

  /** Ids and names are shown everywhere. A tool may put a secret into those of its own calls, anybody into the name of no tool. */
  #withoutSecrets(requests: readonly CallRequest[], parent: Call | null): readonly CallRequest[] {
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

  /** Stops every live call with this id; returns how many. */
  stopCalls(id: string, error: CurfewError): number {
    const calls = this.#batches.callsWithId(id)
    for (const call of calls) this.#stop(call, error)
    return calls.length
  }

  /** A loop, not recursion: stopping a call stops the batches inside it, and these may be nested a thousand deep. */
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

  /** Cancels all; whoever has not ended after the grace is settled with `RUNTIME_CLOSED`. */
  async close(): Promise<void> {
    this.#closing = true
    this.stopAll(cancelled('the runtime is closing'))
    await Promise.all(this.#batches.all().map(({ done }) => done))
    await this.#results.close()
  }

  // ---- first pass: admit

  async #admitAll(batch: Batch): Promise<void> {
    // All begin at once, so that schemas that take their time do not add up; they are admitted in order.
    const admitting = batch.calls.map((call) => (call.ended ? null : this.#admission.begin(call)))
    for (const [index, call] of batch.calls.entries()) {
      let begun = admitting[index]!
      if (begun instanceof Promise) {
        this.#drain()
        begun = await begun
      }
      if (call.ended) continue
      this.#guard(call, () => {
        const refusal = begun instanceof CurfewError ? begun : this.#admission.finish(call, begun)
        if (refusal !== null) this.#fail(call, { status: 'error', error: refusal })
        else this.#admitted(call)
      })
    }
    this.#drain()
  }

  /** Whatever goes wrong on the way of a call ends that call, and nothing else. */
  #guard(call: Call, step: () => void): void {
    try {
      step()
    } catch (error) {
      this.#fail(call, { status: 'error', error: asRefusal(call, error) })
    }
  }

  #admitted(call: Call): void {
    if (call.loads) {
      call.approved = true
    } else {
      const { verdict, rule } = this.#gate.decide(call)
      if (verdict === 'deny') {
        return this.#fail(call, { status: 'error', error: this.#gate.refusal(call, rule) })
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

  onUnblocked(call: Call): void {
    if (call.phase !== 'order' && call.phase !== 'ended') return
    this.#ready.push(call)
    this.#drain()
  }

  /** A loop, not recursion: thousands of calls may become ready one from the other. */
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
    const { stopError } = call.batch
    if (call.blockers > 0) return
    if (call.ended) return finishNode(call)
    if (stopError !== null) return this.#fail(call, { status: 'cancelled', error: stopError })
    if (call.loads) return this.#loadStub(call)
    if (!call.approved) return this.#ask(call)
    call.phase = 'slot'
    call.batch.slots.request(call, this.#queueMs(call))
  }

  #queueMs(call: Call): number {
    return this.#settings.queueTimeout ?? resolveCallTimeout(this.#settings, call).timeoutMs
  }

  #ask(call: Call): void {
    // What was answered since the call was admitted may already cover it.
    const { verdict, rule } = this.#gate.decide(call)
    if (verdict === 'deny')
      return this.#fail(call, { status: 'error', error: this.#gate.refusal(call, rule) })
    if (verdict === 'allow') return this.#onGate(call, { kind: 'approved' })
    const question = this.#gate.question(call, rule)
    call.phase = 'question'
    this.#store.dispatch(call, { status: 'awaiting_approval', question })
    if (call.ended) return
    const resume = this.services.pause(call.parent)
    const withdraw = this.#gate.ask(call, question, (outcome) => {
      call.withdrawals?.delete(takeBack)
      resume()
      this.#guard(call, () => this.#onGate(call, outcome))
      this.#drain()
    })
    const takeBack = (): void => {
      resume()
      withdraw()
    }
    call.withdrawals = (call.withdrawals ?? new Set()).add(takeBack)
  }

  #onGate(call: Call, outcome: GateOutcome): void {
    if (outcome.kind === 'refused') return this.#fail(call, { status: 'error', error: outcome.error })
    if (outcome.kind === 'stop') return this.#stopTurn(call.batch.turn, outcome.error)
    call.approved = true
    call.phase = 'order'
    this.#store.dispatch(call, { status: 'scheduled' })
    if (call.blockers === 0) this.#ready.push(call)
  }

  #stopTurn(turn: Turn, error: CurfewError): void {
    turn.stopped = true
    for (const batch of this.#batches.all()) {
      if (batch.turn === turn) this.stopBatch(batch, error)
    }
  }

  onSlot(call: Call): boolean {
    const { clock } = this.#settings
    const tool = call.tool!
    const { stopError } = call.batch
    if (stopError !== null) {
      this.#fail(call, { status: 'cancelled', error: stopError })
      return false
    }
    if (call.blockers > 0) {
      // A nested call of another batch went ahead meanwhile.
      call.phase = 'order'
      return false
    }
    const now = clock.now()
    const blocked = this.breakers.blocked(tool, now)
    if (blocked !== null) {
      this.#fail(call, { status: 'error', error: circuitOpen(blocked) })
      return false
    }
    this.breakers.start(tool, call.uid, now)
    this.#start(call)
    return true
  }

  #start(call: Call): void {
    const timeout = resolveCallTimeout(this.#settings, call)
    const warning = this.services.abandoned.warning(call)
    if (warning !== null) call.notices.push(warning)
    call.execution = this.#execution(call, timeout)
    call.startedAt = this.#settings.clock.wallTime()
    call.phase = 'running'
    this.#store.dispatch(call, {
      status: 'executing',
      timeoutMs: timeout.timeoutMs,
      timeoutSource: timeout.source,
    })
    call.execution.start()
  }

  #execution(call: Call, timeout: ResolvedTimeout): Execution {
    const { clock, grace, heartbeat, maxContentLength, redactor } = this.#settings
    call.replacementsAtStart = this.services.credentials.replacements
    return new Execution(
      {
        clock,
        tool: call.tool!,
        params: call.params,
        timeout,
        parentTimer: call.parent?.execution?.timer ?? null,
        graceMs: grace,
        heartbeatMs: heartbeat,
        maxOutputLength: maxContentLength,
        redactor,
      },
      call,
    )
  }

  #loadStub(call: Call): void {
    const definition = toolView(call.tool!, 'brief')
    const { timeoutMs, source } = resolveCallTimeout(this.#settings, call)
    this.#store.dispatch(call, { status: 'executing', timeoutMs, timeoutSource: source })
    const text = `${call.name} is loaded and did not run. Call it again with arguments for:\n${JSON.stringify(definition)}`
    this.#settle(call, buildSuccess(call, this.#settings.maxContentLength, definition, text))
  }

  onQueueExpired(call: Call): void {
    const waited = formatDuration(this.#queueMs(call))
    const message = `${call.name} waited ${waited} for one of ${this.#settings.concurrency} slots (concurrency) and did not run`
    this.#fail(call, { status: 'error', error: new CurfewError('QUEUE_TIMEOUT', message) })
  }

  async execute(call: Call, calls: readonly ToolCall[]): Promise<CallResult[]> {
    const requests = checkBatch(calls, {})
    assertRunning(call)
    return await this.run(requests, { turn: call.batch.turn, parent: call, signal: undefined })
  }

  // ---- endings

  #stop(call: Call, error: CurfewError): void {
    if (call.ended) return
    if (call.phase !== 'running') return this.#fail(call, { status: 'cancelled', error })
    call.execution!.stop(error)
    call.stopSpill?.()
  }

  onStop(call: Call, error: CurfewError): void {
    this.#withdraw(call)
    this.#stopChildren(call, () => stoppedWith(call.name, error))
  }

  #withdraw(call: Call): void {
    if (call.withdrawals === null) return
    for (const takeBack of [...call.withdrawals]) takeBack()
    call.withdrawals = null
  }

  /** Most calls have no children, and to make an error takes longer than all the rest of a call. */
  #stopChildren(call: Call, makeError: () => CurfewError): void {
    if (call.children === null || call.children.size === 0) return
    const error = makeError()
    for (const batch of [...call.children]) this.stopBatch(batch, error)
  }

  onOutcome(call: Call, outcome: ExecutionOutcome): void {
    try {
      this.#conclude(call, outcome)
    } catch (error) {
      const message = `what ${call.name} returned or threw cannot be read: ${messageOf(error)}`
      this.#fail(call, { status: 'error', error: new CurfewError('TOOL_FAILED', message) })
    }
  }

  #conclude(call: Call, outcome: ExecutionOutcome): void {
    if (outcome.kind === 'threw') return this.#onError(call, outcome.error)
    if (outcome.kind === 'returned') return this.#succeed(call, outcome.value)
    const { error, abandoned } = outcome
    if (abandoned) this.services.onAbandoned(call)
    const status = error.code === 'CANCELLED' ? 'cancelled' : 'error'
    this.#fail(call, {
      status,
      error,
      abandoned,
      ...(this.#closing && abandoned && status === 'cancelled' && { code: 'RUNTIME_CLOSED' }),
    })
  }

  #onError(call: Call, error: unknown): void {
    const refused = rejectedCredential(error, call.tool!, call.secretsRead?.keys() ?? [])
    if (refused === null) this.#fail(call, { status: 'error', error })
    else void this.#heal(call, refused)
  }

  /** Gets another key and runs the call again, with a fresh clock. It stays in `executing` all the while. */
  async #heal(call: Call, error: CredentialRequiredError): Promise<void> {
    call.phase = 'healing'
    this.#withdraw(call)
    this.#stopChildren(call, () => cancelled(`${call.name}, which called it, was refused a credential`))
    try {
      await this.services.credentials.heal(call, error)
    } catch (refusal) {
      return this.#fail(call, { status: 'error', error: refusal })
    }
    if (call.ended) return
    this.#guard(call, () => {
      call.phase = 'running'
      call.execution = this.#execution(call, resolveCallTimeout(this.#settings, call))
      this.#store.touch(call)
      call.execution.start()
    })
  }

  #succeed(call: Call, returned: unknown): void {
    let hidden: HiddenValue
    let text: string | Promise<string>
    try {
      hidden = this.#results.hide(call, returned)
      text = this.#results.write(call, hidden)
    } catch (error) {
      return this.#fail(call, { status: 'error', error })
    }
    const settle = (content: string): void =>
      this.#settle(call, buildSuccess(call, this.#settings.maxContentLength, hidden.value, content))
    if (typeof text === 'string') settle(text)
    else void text.then(settle)
  }

  #fail(call: Call, failure: FailureDetails): void {
    const { redactor, maxContentLength } = this.#settings
    this.#settle(call, buildFailure(call, maxContentLength, failure, redactor), failure.error)
  }

  /** The end of every call, whatever it came to. Happens once. `error` is what a failed call ended with. */
  #settle(call: Call, result: CallSuccess | CallFailure, error?: unknown): void {
    if (call.ended) return
    const { batch } = call
    const ran = call.phase === 'running' || call.phase === 'healing'
    call.phase = 'ended'
    if (ran)
      this.breakers.end(call.tool!, call.uid, breakerOutcomes(result, error), this.#settings.clock.now())
    this.#store.dispatch(
      call,
      result.status === 'success' ? { status: 'success', result } : { status: result.status, result },
    )
    batch.results[call.index] = result
    batch.turn.live--
    // Taken now: what follows may end other calls of the batch.
    const last = --batch.open === 0
    this.#withdraw(call)
    if (ran) this.#stopChildren(call, () => cancelled(`${call.name}, which called it, has ended`))
    // The batch keeps the call until its last one ends; a signal, a timer and the output need not stay with it.
    call.execution = null
    if (call.keys.length > 0) this.#locks.release(call)
    // While it still waits for others, those behind it wait for them too: it keeps its place until then.
    if (call.blockers === 0) finishNode(call)
    if (ran) batch.slots.release()
    if (last) batch.onDone(commitBatch(batch))
  }
}
