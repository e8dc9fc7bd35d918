import type { CallRow } from '@curfew/core'
import type { ContextNotice } from '../context/context-notice.ts'
import type { ModelFailure, ModelUsage } from '../models/model-error.ts'

/** Why a turn ended. */
export type EndReason =
  /** The model answered without calling tools. */
  | 'answer'
  /** All calls of a batch were cancelled, or a person stopped the turn. */
  | 'cancelled'
  /** A limit of calls or continuations was reached, or the answer was cut off at the output limit of the model. */
  | 'limit'
  /** The model repeated the same calls with the same results. */
  | 'loop'
  /** The quota of the model is exhausted; the next turn uses the fallback model. */
  | 'model-switched'
  | 'budget'
  /** The signal was aborted, the turn was cancelled, or the agent or its runtime was closed. */
  | 'abort'
  /** The model failed, also after retries; its response was blocked; or several responses in a row were unusable. */
  | 'model-failure'

/** What `agent.send` yields. */
export type AgentEvent =
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  /** A call started, changed or ended. */
  | { readonly type: 'call'; readonly row: CallRow }
  | { readonly type: 'usage'; readonly usage: ModelUsage }
  | { readonly type: 'notice'; readonly notice: Notice }
  /** The last event. `failure` is set if a request to the model failed. */
  | {
      readonly type: 'end'
      readonly reason: EndReason
      readonly message: string | null
      readonly failure?: ModelFailure
    }

/** Something that a person should know. */
export type Notice =
  | {
      readonly kind: 'retry'
      readonly cause: string
      readonly attempt: number
      readonly maxAttempts: number
      readonly delayMs: number
    }
  | ContextNotice
  | { readonly kind: 'wind-down' | 'model-switched' | 'queued'; readonly message: string }
