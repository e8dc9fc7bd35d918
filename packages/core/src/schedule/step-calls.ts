import type { CallResult } from '../call/call-result.ts'
import type { CallRequest } from '../call/read-calls.ts'
import type { TurnState } from '../conversation/turn-state.ts'
import { captureContext } from '../store/async-context.ts'
import type { Batch } from '../store/batch.ts'
import type { Call } from '../store/call.ts'
import type { LiveBatches } from '../store/live-batches.ts'
import type { Admission, AdmissionResult } from './admission.ts'
import type { CallFactory } from './call-factory.ts'
import type { CallStopper } from './call-stopper.ts'
import { cancelledError } from './cancelled-error.ts'
import { commitBatch } from './commit-batch.ts'

interface StepContext {
  readonly factory: CallFactory
  readonly batches: LiveBatches
  readonly stopper: CallStopper
  readonly admission: Admission
  /** Adds a new call to the store. */
  add(call: Call): void
  /** Finishes a call's admission. */
  admit(call: Call, start: AdmissionResult): void
  /** Nothing blocks the call any more. */
  onReady(call: Call): void
}

/** Steps: batches whose calls are added and started one by one. */
export class StepCalls {
  readonly #context: StepContext

  constructor(context: StepContext) {
    this.#context = context
  }

  create(turn: TurnState, parent: Call | null): Batch {
    return this.#context.factory.createBatch('step', turn, parent)
  }

  /** Adds a call to a step. It keeps its place in the order and runs after `start`. */
  reserve(step: Batch, request: CallRequest, onSettled: (result: CallResult) => void): Call {
    const { factory, stopper } = this.#context
    if (!step.live) this.#activate(step)
    step.addOpen(1)
    const call = factory.createCall(step, request)
    call.onSettled = onSettled
    call.reserved = true
    call.blockers++
    this.#context.add(call)
    const { stopReason } = step
    if (stopReason !== null) stopper.stop(call, cancelledError(stopReason))
    else if (step.stopError !== null) stopper.stop(call, step.stopError)
    else if (!call.ended) this.#admit(call)
    return call
  }

  /** Has no effect on a call that was started, except that the signal stops it too. */
  start(call: Call, signal: AbortSignal | undefined): void {
    if (call.ended) return
    if (signal !== undefined) this.#context.stopper.watch(call, signal)
    if (!call.reserved) return
    call.asyncContext = captureContext()
    call.reserved = false
    call.blockers--
    if (call.phase === 'order' && call.blockers === 0) this.#context.onReady(call)
  }

  /** Cancels a call that was not started. */
  release(call: Call): void {
    if (call.reserved) this.#context.stopper.stop(call, cancelledError('the call was not started'))
  }

  close(step: Batch): void {
    if (step.closed) return
    step.closed = true
    for (const call of step.calls) this.release(call)
    if (step.open === 0) commitBatch(step)
  }

  #activate(step: Batch): void {
    const { batches } = this.#context
    // The parent may have been detached since the step was created.
    step.parent = step.parent?.task ?? step.parent
    batches.add(step)
    step.done = new Promise((resolve) => {
      step.onIdle = () => {
        batches.remove(step)
        resolve(step.results)
      }
    })
  }

  /** The calls of a step are admitted in order, too. */
  #admit(call: Call): void {
    const { batch } = call
    const start = this.#context.admission.begin(call)
    if (batch.admissions === null && !(start instanceof Promise)) return this.#context.admit(call, start)
    const earlier = batch.admissions
    const admit = async (): Promise<void> => {
      await earlier
      this.#context.admit(call, await start)
    }
    const admitted = admit().finally(() => {
      if (batch.admissions === admitted) batch.admissions = null
    })
    batch.admissions = admitted
  }
}
