import { Queue } from '../collections/queue.ts'
import type { ConversationState } from '../conversation/conversation-state.ts'
import type { TurnState } from '../conversation/turn-state.ts'
import type { CurfewError } from '../errors/curfew-error.ts'
import type { Batch } from '../store/batch.ts'
import type { Call } from '../store/call.ts'
import type { LiveBatches } from '../store/live-batches.ts'
import { cancelledError } from './cancelled-error.ts'
import { addWithdrawal } from './withdrawals.ts'

/** Stops calls: one, a batch, a turn, a conversation, or all. */
export class CallStopper {
  readonly #batches: LiveBatches
  readonly #cancel: (call: Call, error: CurfewError) => void
  readonly #toStop = new Queue<{ readonly batch: Batch; readonly error: CurfewError }>()
  #stopping = false

  /** `cancel` ends a call that is not running. */
  constructor(batches: LiveBatches, cancel: (call: Call, error: CurfewError) => void) {
    this.#batches = batches
    this.#cancel = cancel
  }

  stop(call: Call, error: CurfewError): void {
    if (call.ended) return
    if (call.phase !== 'running') return this.#cancel(call, error)
    call.execution!.stop(error)
    call.stopSpill?.()
  }

  /** Stops the call when the signal is aborted. */
  watch(call: Call, signal: AbortSignal): void {
    if (signal.aborted) return this.stop(call, cancelledError(signal.reason))
    const onAbort = (): void => this.stop(call, cancelledError(signal.reason))
    signal.addEventListener('abort', onAbort, { once: true })
    addWithdrawal(call, () => signal.removeEventListener('abort', onAbort))
  }

  /** Stops every live call with this id, or the one with this uid; returns their number. */
  stopCalls(id: string | { readonly uid: number }, error: CurfewError): number {
    const calls = typeof id === 'string' ? this.#batches.callsWithId(id) : this.#batches.callsWithUid(id.uid)
    for (const call of calls) this.stop(call, error)
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
        for (const call of next.batch.calls) this.stop(call, next.error)
      }
    } finally {
      this.#stopping = false
    }
  }

  stopAll(error: CurfewError): void {
    this.#stopWhere(() => true, error)
  }

  /** Stops a turn and everything beneath it, except for background tasks. */
  stopTurn(turn: TurnState, error: CurfewError): void {
    turn.cancel()
    this.#stopWhere((batch) => batch.kind !== 'task' && batch.turn.isWithin(turn), error)
  }

  /** The same for the root turn of a turn. */
  stopRootTurn({ root }: TurnState, error: CurfewError): void {
    root.stopped = true
    this.#stopWhere((batch) => batch.kind !== 'task' && batch.turn.root === root, error)
  }

  /** Stops everything in a conversation, including background tasks, and removes its files. */
  async closeConversation(conversation: ConversationState): Promise<void> {
    const isInside = (batch: Batch): boolean => batch.turn.conversation.isWithin(conversation)
    const batches = this.#batches.all().filter(isInside)
    conversation.closed = true
    this.#stopWhere(isInside, cancelledError('the conversation was closed'))
    await Promise.all(batches.map(({ done }) => done))
    conversation.handlers = null
    await conversation.closeFiles()
  }

  #stopWhere(matches: (batch: Batch) => boolean, error: CurfewError): void {
    for (const batch of this.#batches.all()) if (matches(batch)) this.stopBatch(batch, error)
  }
}
