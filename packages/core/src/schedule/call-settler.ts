import type { CallFailure, CallSuccess } from '../call/call-result.ts'
import type { ConversationState } from '../conversation/conversation-state.ts'
import { CurfewError } from '../errors/curfew-error.ts'
import { messageOf } from '../errors/message-of.ts'
import type { ExecutionCallbacks, ExecutionOutcome } from '../execute/execution.ts'
import type { RuntimeSettings } from '../options/resolve-options.ts'
import { finishNode } from '../order/order.ts'
import type { ResourceLocks } from '../order/resource-locks.ts'
import type { ToolSlots } from '../order/tool-slots.ts'
import { capText } from '../output/head-tail.ts'
import type { Breakers } from '../policy/breakers.ts'
import type { CredentialRequiredError } from '../secrets/credential-required-error.ts'
import { rejectedCredential } from '../secrets/rejected-credential.ts'
import type { Batch } from '../store/batch.ts'
import type { Call } from '../store/call.ts'
import type { CallStore } from '../store/call-store.ts'
import { breakerOutcomes } from './breaker-outcomes.ts'
import { buildFailure, buildSuccess, type FailureDetails } from './build-result.ts'
import type { CallServices } from './call-services.ts'
import { cancelledError, parentStoppedError } from './cancelled-error.ts'
import { addTurnNotices, commitBatch } from './commit-batch.ts'
import { ownTimeoutMs } from './resolve-call-timeout.ts'
import { ResultWriter, type WrittenResult } from './result-writer.ts'
import { withdrawAll } from './withdrawals.ts'

interface SettlerContext {
  readonly settings: RuntimeSettings
  readonly store: CallStore
  readonly breakers: Breakers
  readonly locks: ResourceLocks
  readonly toolSlots: ToolSlots<Call>
  readonly services: CallServices
  /** Runs the call again, with a fresh clock. */
  restart(call: Call): void
  stopBatch(batch: Batch, error: CurfewError): void
  /** Ends a conversation that ran inside a call. */
  closeConversation(conversation: ConversationState): void
  /** The last call that this one waited for has ended. */
  onReady(call: Call): void
}

/** Ends calls: turns an outcome into a result, and releases the call's slot, locks and questions. */
export class CallSettler implements ExecutionCallbacks<Call> {
  readonly #context: SettlerContext
  readonly #results: ResultWriter
  #closing = false

  constructor(context: SettlerContext) {
    this.#context = context
    this.#results = new ResultWriter(context.settings)
  }

  onOutcome(call: Call, outcome: ExecutionOutcome): void {
    try {
      this.#conclude(call, outcome)
    } catch (error) {
      const message = `the value that ${call.name} returned or threw cannot be read: ${messageOf(error)}`
      this.fail(call, { status: 'error', error: new CurfewError('TOOL_FAILED', message) })
    }
  }

  onStop(call: Call, error: CurfewError): void {
    withdrawAll(call)
    this.#stopChildren(call, () => parentStoppedError(call.name, error))
  }

  fail(call: Call, failure: FailureDetails): void {
    const { redactor, maxContentLength } = this.#context.settings
    this.#settle(call, buildFailure(call, maxContentLength, failure, redactor), failure.error)
  }

  /** Ends a call without running its tool's function. */
  succeed(call: Call, written: WrittenResult): void {
    this.#settle(call, buildSuccess(call, this.#context.settings.maxContentLength, written))
  }

  /** Ends a call whose tool continues as a background task. */
  detach(call: Call, content: string): void {
    const { redactor, maxContentLength } = this.#context.settings
    const task = call.task!.uid
    // Redacted before it is cut: half a secret would not be recognized.
    const text = capText(redactor.text(content), maxContentLength)
    const result = buildSuccess(call, maxContentLength, { value: { task }, text })
    this.#settle(call, { ...result, detached: true, task })
  }

  /** From now on, calls that are abandoned end with `RUNTIME_CLOSED`. */
  beginClose(): void {
    this.#closing = true
  }

  #conclude(call: Call, outcome: ExecutionOutcome): void {
    if (outcome.kind === 'threw') return this.#onError(call, outcome.error)
    if (outcome.kind === 'returned') return this.#onReturn(call, outcome.value)
    const { error, abandoned } = outcome
    if (abandoned) this.#context.services.onAbandoned(call)
    const status = error.code === 'CANCELLED' ? 'cancelled' : 'error'
    this.fail(call, {
      status,
      error,
      abandoned,
      ...(this.#closing && abandoned && status === 'cancelled' && { code: 'RUNTIME_CLOSED' }),
    })
  }

  #onReturn(call: Call, returned: unknown): void {
    // As JSON, the model would read it as `{}`.
    if (returned instanceof Error) return this.#onError(call, returned)
    let result: WrittenResult | Promise<WrittenResult>
    try {
      result = this.#results.write(call, returned)
    } catch (error) {
      return this.fail(call, { status: 'error', error })
    }
    if (result instanceof Promise) void result.then((written) => this.succeed(call, written))
    else this.succeed(call, result)
  }

  #onError(call: Call, error: unknown): void {
    const rejection = rejectedCredential(error, call.tool!, call.secretsRead?.keys() ?? [])
    if (rejection === null) this.fail(call, { status: 'error', error })
    else void this.#heal(call, rejection)
  }

  /** Gets another key and runs the call again. It stays in `executing` meanwhile. */
  async #heal(call: Call, error: CredentialRequiredError): Promise<void> {
    call.phase = 'healing'
    withdrawAll(call)
    this.#stopChildren(call, () =>
      cancelledError(`a credential of its parent call ${call.name} was rejected`),
    )
    try {
      await this.#context.services.credentials.heal(call, error)
    } catch (healError) {
      return this.fail(call, { status: 'error', error: healError })
    }
    if (!call.ended) this.#context.restart(call)
  }

  /** Ends every call, once. `error` is the error of a failed call. */
  #settle(call: Call, result: CallSuccess | CallFailure, error?: unknown): void {
    if (call.ended) return
    const { batch } = call
    const ran = call.phase === 'running' || call.phase === 'healing'
    call.phase = 'ended'
    if (ran && !call.background) {
      const outcomes = breakerOutcomes(result, error, () => ownTimeoutMs(this.#context.settings, call))
      this.#context.breakers.end(call.tool!, call.uid, outcomes, this.#context.settings.clock.now())
    }
    this.#context.store.dispatch(
      call,
      result.status === 'success' ? { status: 'success', result } : { status: result.status, result },
    )
    batch.results[call.index] = result
    batch.turn.live--
    call.unwatch?.()
    // Evaluated here, because what follows may end other calls of the batch.
    const isLast = --batch.open === 0 && (batch.kind !== 'step' || batch.closed)
    withdrawAll(call)
    if (ran) {
      this.#stopChildren(call, () => cancelledError(`its parent call ${call.name} has ended`))
      for (const conversation of call.conversations ?? []) this.#context.closeConversation(conversation)
    }
    // The batch keeps the call until its last one ends; the signal, timer and output are no longer needed.
    call.execution = null
    if (call.locked) this.#context.locks.release(call)
    if (call.reserved) {
      call.reserved = false
      call.blockers--
    }
    // While the call itself waits for others, later calls have to wait for them too, so it keeps its place.
    if (call.blockers === 0) finishNode(call, this.#context.onReady)
    if (ran && !call.background) batch.slots.release(batch.slotGroup)
    if (call.toolSlot !== null) this.#context.toolSlots.leave(call)
    if (call.onSettled !== null) call.onSettled(addTurnNotices(batch, result))
    if (isLast) batch.onDone(commitBatch(batch))
    if (batch.open === 0 && batch.live) batch.onIdle?.()
  }

  /** Most calls have no children, and creating an error is the most expensive part of ending a call. */
  #stopChildren(call: Call, createError: () => CurfewError): void {
    if (call.children === null || call.children.size === 0) return
    const error = createError()
    for (const batch of [...call.children]) this.#context.stopBatch(batch, error)
  }
}
