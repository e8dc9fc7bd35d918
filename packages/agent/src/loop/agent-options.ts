import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { ConversationOptions, Runtime, ToolContext } from '@curfew/core'
import { type Clock, type LogEntry, unexpectedOption } from '@curfew/core/internal'
import type { Checkpoints } from '../checkpoints/create-checkpoints.ts'
import type { ContextWindow } from '../context/context-windows.ts'
import type { HistoryItem } from '../history/history-item.ts'
import type { ModelLimits } from '../models/model-limits.ts'
import type { RestoredHistory } from '../sessions/restore-history.ts'
import type { AgentMode } from './agent-mode.ts'
import type { SavedSession } from './session-log.ts'
import type { AgentDeadline } from './time-limit.ts'
import type { TurnMiddleware } from './turn-middleware.ts'
import type { BudgetOptions, Prices } from './usage-meter.ts'

export interface AgentOptions {
  /** Its name in traces. */
  readonly name?: string | undefined
  readonly model: LanguageModelV4
  /** Used after the quota of `model` is exhausted. */
  readonly fallback?: LanguageModelV4 | undefined
  readonly runtime: Runtime
  /** A function is called at the start of each turn. As long as it returns the same string, prompt caches stay valid. */
  readonly system?: string | (() => string) | undefined
  /** The conversation's tools, view, approval, limits and question handler. */
  readonly conversation?: ConversationOptions | undefined
  readonly limits?: AgentLimits | undefined
  /**
   * What the model may do without asking.
   * @default 'ask', or the mode of the agent around it
   */
  readonly mode?: AgentMode | undefined
  /**
   * The calls that the mode `accept-edits` allows, as rules.
   * @default ['write_file', 'edit_file']
   */
  readonly edits?: readonly string[] | undefined
  /**
   * For an agent inside a tool: the tool's context. What it uses counts in the budgets of the agents around it, their modes and rules apply,
   * and it ends with the call.
   */
  readonly within?: ToolContext | undefined
  /**
   * When the agent has to be done. Shortly before, its calls end and the model is asked for its final answer; at the latest just before it,
   * the turn ends with what there is.
   * @default the deadline of the call around it; none without one
   */
  readonly deadline?: AgentDeadline | undefined
  /** What models may use in each turn and in the whole conversation, including agents inside it. */
  readonly budget?: { readonly turn?: BudgetOptions; readonly conversation?: BudgetOptions } | undefined
  /** Prices by `provider:model`, for budgets in money. */
  readonly prices?: Prices | undefined
  /**
   * The tokens of the model's context window, or a function of `provider:model`. Near its end, old results are shortened, then old
   * messages are replaced by a summary.
   * @default unknown: the history is reduced when the provider rejects a request
   */
  readonly contextWindow?: ContextWindow | undefined
  /** The history of a resumed conversation. */
  readonly history?: readonly HistoryItem[] | undefined
  /**
   * The tools that the model of a resumed conversation has loaded.
   * @default those whose definitions are in `history`
   */
  readonly loaded?: readonly string[] | undefined
  /** The counts of a resumed conversation. */
  readonly counts?: RestoredHistory['counts'] | undefined
  /** Saves the conversation while it takes place, so that it can be resumed. */
  readonly session?: SavedSession | undefined
  /** Takes a checkpoint once per batch, before its first call to a tool that is not read-only. */
  readonly checkpoints?: Pick<Checkpoints, 'take'> | undefined
  /** Wraps every turn, such as in a span. */
  readonly turnMiddleware?: TurnMiddleware | undefined
  /**
   * Receives errors of listeners and of the session.
   * @default writes to standard error
   */
  readonly log?: ((entry: LogEntry) => void) | undefined
  /** For tests. */
  readonly clock?: Clock | undefined
}

export interface AgentLimits {
  /**
   * How often the model may continue with tool results after a prompt.
   * @default 100
   */
  readonly continuations?: number | undefined
  /**
   * After how many continuations of the whole conversation the person is asked whether the model may go on, each time. If nobody can be
   * asked, the turn ends.
   * @default 1,000
   */
  readonly conversationContinuations?: number | undefined
  /** Limits of each request to a model. */
  readonly model?: ModelLimits | undefined
}

/** A limit with its default. Throws if it is invalid. */
export function limit(name: keyof AgentLimits, value: number | undefined, defaultValue: number): number {
  if (value === undefined) return defaultValue
  if (value === Number.POSITIVE_INFINITY || (Number.isSafeInteger(value) && value > 0)) return value
  const field = `limits.${name}`
  throw unexpectedOption(field, 'a whole number from 1, or Infinity', value)
}
