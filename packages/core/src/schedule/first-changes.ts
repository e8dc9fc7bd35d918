import { CurfewError } from '../errors/curfew-error.ts'
import { messageOf } from '../errors/message-of.ts'
import type { Batch, BeforeChangesRun } from '../store/batch.ts'
import type { Call } from '../store/call.ts'
import type { BeforeChanges } from '../tool/conversation.ts'
import { addWithdrawal } from './withdrawals.ts'

export interface FirstChangesCallbacks {
  /** The call may continue. */
  onReady(call: Call): void
  fail(call: Call, error: CurfewError): void
}

/**
 * Runs the conversation's `beforeChanges` once per batch, before the first call that is not read-only starts. Returns whether the call has to
 * wait; it is then continued, or fails, later.
 */
export function waitsForFirstChanges(call: Call, callbacks: FirstChangesCallbacks): boolean {
  const { beforeChanges } = call.batch.turn.conversation
  if (beforeChanges === null || call.tool!.readOnly) return false
  const batch = call.batch.outermost
  if (batch.beforeChanges === 'done') return false
  batch.beforeChanges ??= startBeforeChanges(batch, beforeChanges)
  const running = batch.beforeChanges
  running.waiting++
  const unregister = addWithdrawal(call, () => {
    if (--running.waiting === 0) running.abort()
  })
  void running.result.then((error) => {
    unregister()
    if (call.ended) return
    if (error === null) callbacks.onReady(call)
    else callbacks.fail(call, error)
  })
  return true
}

function startBeforeChanges(batch: Batch, beforeChanges: BeforeChanges): BeforeChangesRun {
  const controller = new AbortController()
  const run = async (): Promise<CurfewError | null> => {
    try {
      await beforeChanges({ batch: batch.id, signal: controller.signal })
      if (!controller.signal.aborted) batch.beforeChanges = 'done'
      return null
    } catch (error) {
      return new CurfewError('TOOL_FAILED', `beforeChanges failed: ${messageOf(error)}`, { cause: error })
    }
  }
  return {
    waiting: 0,
    result: run(),
    abort: () => {
      // Another call of the batch may still need it.
      batch.beforeChanges = null
      controller.abort(new CurfewError('CANCELLED', 'no call waits for it any more'))
    },
  }
}
