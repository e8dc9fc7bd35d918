import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { Runtime, Turn } from '@curfew/core'
import type { Clock } from '@curfew/core/internal'
import type { ContextManager } from '../context/context-manager.ts'
import type { History } from '../history/history.ts'
import type { AssistantPart } from '../history/history-item.ts'
import type { ModelFailure } from '../models/model-error.ts'
import type { ModelLimits } from '../models/model-limits.ts'
import type { AgentEvent, EndReason } from './agent-event.ts'
import type { UsageMeter } from './usage-meter.ts'

/** What a turn needs from its agent. */
export interface TurnContext {
  readonly contextManager: ContextManager
  readonly runtime: Pick<Runtime, 'redact' | 'redactStream'>
  readonly turn: Turn
  readonly history: History
  /** Counted from the person's last message. */
  readonly maxContinuations: number
  readonly modelLimits: ModelLimits | undefined
  readonly clock: Clock
  readonly signal: AbortSignal
  model(): LanguageModelV4
  /** Switches to the fallback model. Returns false if there is none. */
  switchModel(): boolean
  /** Counts a continuation of the conversation. Returns why there can be none, or `null`. */
  countContinuation(): Promise<string | null>
  /** Adds queued prompts to the history. Returns whether there were any. */
  deliverQueued(): boolean
  /** Whether the time of the agent is nearly over. */
  isTimeShort(): boolean
  /** Resolves when the history survives the end of this process. */
  saved(): Promise<void>
  onRequest(): void
  /** Called when their results are in the history. */
  onResults(): void
  readonly meter: UsageMeter
  emit(event: AgentEvent): void
}

export interface TurnEnd {
  readonly reason: EndReason
  readonly message: string | null
  readonly failure?: ModelFailure
}

export type CallPart = Extract<AssistantPart, { type: 'call' }>

export function ended(reason: EndReason, message: string | null = null): TurnEnd {
  return { reason, message }
}
