import { Queue } from '../collections/queue.ts'
import type { ConversationState } from '../conversation/conversation-state.ts'
import type { TurnState } from '../conversation/turn-state.ts'
import type { CurfewError } from '../errors/curfew-error.ts'
import type { Batch } from '../store/batch.ts'
import type { Call } from '../store/call.ts'
import type { LiveBatches } from '../store/live-batches.ts'
import { cancelledError } from './cancelled-error.ts'

/** Stops calls: one, a batch, a turn, a conversation, or all. */
export class CallStopper {
  readonly #batches: LiveBatches
  readonly #cancel: (call: Call, error: CurfewError) => void
  readonly #toStop = new Queue<{ readonly batch: Batch; readonly error: CurfewError }>()
  readonly #closing = new Map<ConversationState, Promise<void>>()
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
    const unwatchOthers = call.unwatch
    call.unwatch = () => {
      unwatchOthers?.()
      signal.removeEventListener('abort', onAbort)
    }
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
    this.#stopWhere((batch) => batch.turn.isWithin(turn) && batch.task?.turn.isWithin(turn) !== true, error)
  }

  /** The same for the root turn of a batch, and for the background task that the batch belongs to. */
  stopRootTurn({ turn, task }: Batch, error: CurfewError): void {
    const { root } = turn
    root.stopped = true
    this.#stopWhere((batch) => batch.turn.root === root && batch.task === null, error)
    if (task !== null) this.stopBatch(task, error)
  }

  /** Stops everything in a conversation, including background tasks, and removes its files. */
  closeConversation(conversation: ConversationState): Promise<void> {
    const closing = this.#closeConversation(conversation).finally(() => {
      if (this.#closing.get(conversation) === closing) this.#closing.delete(conversation)
    })
    this.#closing.set(conversation, closing)
    return closing
  }

  /** Waits for all conversations that are being closed, for instance because the call that they ran inside has ended. */
  async waitForClosing(): Promise<void> {
    await Promise.allSettled(this.#closing.values())
  }

  async #closeConversation(conversation: ConversationState): Promise<void> {
    const isInside = (batch: Batch): boolean => batch.turn.conversation.isWithin(conversation)
    const batches = this.#batches.all().filter(isInside)
    conversation.closed = true
    for (const onClose of [...(conversation.onClose ?? [])]) onClose()
    conversation.onClose = null
    this.#stopWhere(isInside, cancelledError('the conversation was closed'))
    await Promise.all(batches.map(({ done }) => done))
    conversation.handlers = null
    const inner = [...this.#closing].filter(
      ([other]) => other !== conversation && other.isWithin(conversation),
    )
    await Promise.all([conversation.closeFiles(), ...inner.map(([, closing]) => closing)])
  }

  #stopWhere(matches: (batch: Batch) => boolean, error: CurfewError): void {
    for (const batch of this.#batches.all()) if (matches(batch)) this.stopBatch(batch, error)
  }
}
