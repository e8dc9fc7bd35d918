import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { CallResult, Conversation, ToolCall, TurnStatus } from '@curfew/core'
import type { ContextNotice } from '../context/context-notice.ts'
import type { UserPart } from '../history/history-item.ts'
import type { AgentDelta } from './agent-delta.ts'
import type { AgentEvent } from './agent-event.ts'
import type { AgentMode } from './agent-mode.ts'
import type { AgentSnapshot } from './agent-state.ts'
import type { UsageTotal } from './usage-meter.ts'

export interface Agent {
  /** Sends a prompt. Yields what happens until the turn ends; a prompt that is sent meanwhile is delivered after the current batch. */
  send(
    prompt: string | readonly UserPart[],
    options?: { readonly signal?: AbortSignal | undefined },
  ): AsyncIterable<AgentEvent>
  /**
   * Runs a call that a person typed, through the scheduler: it needs no approval, but deny rules apply. The model is not asked; what it
   * should know of the result is added with `addParts`.
   */
  runAsPerson(
    call: Pick<ToolCall, 'name' | 'params' | 'timeout'>,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<CallResult>
  /**
   * Adds a message of the person to the history without asking the model, which sees it with the next request. While a turn is running,
   * it is added after the current batch, because results must follow their calls.
   */
  addParts(parts: readonly UserPart[]): void
  /**
   * Replaces all messages before the recent ones with a summary that the model writes. Resolves with what was done, or with `null` if there
   * is nothing to summarize. Rejects while a turn is running, and if the model gives no summary.
   */
  compact(
    instructions?: string,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<ContextNotice | null>
  /**
   * Removes all items after the one with this id from the history; 0 removes all. `restore` runs first, while prompts wait; if it rejects,
   * the history stays as it is. Rejects while a turn is running, and if the item is not in the history any more.
   */
  rewind(
    position: number,
    options?: {
      readonly restore?: ((signal: AbortSignal) => Promise<void>) | undefined
      readonly signal?: AbortSignal | undefined
    },
  ): Promise<void>
  /** Whether the item with this id is in the history, and what was before it has not been summarized together with later items. */
  canRewind(position: number): boolean
  /** Asks the person a question. Rejects with `DENIED` if nobody can answer. */
  readonly ask: Conversation['ask']
  /** Cancels the current turn and withdraws queued prompts. Returns them. */
  cancel(reason?: string): readonly string[]
  /** Applies to the next call, also in a running turn. An open question stays open. */
  setMode(mode: AgentMode): void
  /** Switches the model, at once if no turn is running, otherwise for the next turn. Throws if a budget in money needs its price. */
  setModel(model: LanguageModelV4): void
  getSnapshot(): AgentSnapshot
  /** What the models of this conversation have used. */
  usage(): UsageTotal
  /** What the current or last turn has used. */
  turnUsage(): UsageTotal
  /** The calls of the current or last turn and what is left of its limits; `null` before the first one. */
  turnStatus(): TurnStatus | null
  /** Calls the listener with what has changed, at most once per turn of the event loop. Returns an unsubscribe function. */
  subscribe(listener: (delta: AgentDelta) => void): () => void
  /** Cancels everything, including background tasks. */
  close(): Promise<void>
}
