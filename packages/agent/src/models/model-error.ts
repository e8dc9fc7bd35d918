import type { AssistantPart } from '../history/history-item.ts'

/**
 * - `overloaded`: the provider cannot serve the request at the moment (5xx, 529).
 * - `quota`: the daily quota or the credit is used up; waiting a minute does not help.
 * - `first-token`, `idle`, `total`: the limit that ended the request.
 * - `connection`: not reachable, or the stream was cut off.
 * - `malformed`: the model itself produced something unusable, such as a call that cannot be read. It may not do so again.
 */
export type ModelErrorKind =
  | 'auth'
  | 'rate-limit'
  | 'quota'
  | 'overloaded'
  | 'first-token'
  | 'idle'
  | 'total'
  | 'connection'
  | 'invalid-response'
  | 'malformed'
  | 'content-filter'
  | 'context-overflow'
  | 'aborted'
  | 'other'

/** Why a model request failed, as plain data. */
export interface ModelFailure {
  readonly kind: ModelErrorKind
  /** `provider:model: problem`; contains no keys. */
  readonly message: string
  /** The message without the model. */
  readonly problem: string
  /** The HTTP status, if there was one. */
  readonly status: number | null
  /** How long the provider asked to wait. */
  readonly retryAfterMs: number | null
  /** Whether the same request may succeed later. */
  readonly retryable: boolean
}

/** The number of tokens of a request; `null` if the provider did not report it. */
export interface ModelUsage {
  /** Includes `cachedInputTokens` and `cacheWriteTokens`. */
  readonly inputTokens: number | null
  readonly cachedInputTokens: number | null
  readonly cacheWriteTokens: number | null
  /** Includes `reasoningTokens`. */
  readonly outputTokens: number | null
  readonly reasoningTokens: number | null
}

/** A model request that failed. It does not refer to the provider's own error, which contains the whole request. */
export class ModelError extends Error implements ModelFailure {
  override readonly name: string = 'ModelError'
  readonly kind: ModelErrorKind
  readonly problem: string
  readonly status: number | null
  readonly retryAfterMs: number | null
  readonly retryable: boolean
  /** What was received before the failure; only complete calls. */
  readonly parts: readonly AssistantPart[]
  readonly usage: ModelUsage | null

  constructor(failure: ModelFailure, parts: readonly AssistantPart[] = [], usage: ModelUsage | null = null) {
    super(failure.message)
    this.kind = failure.kind
    this.problem = failure.problem
    this.status = failure.status
    this.retryAfterMs = failure.retryAfterMs
    this.retryable = failure.retryable
    this.parts = parts
    this.usage = usage
  }
}

/** A failure without an HTTP response. */
export function failure(
  kind: ModelErrorKind,
  model: string,
  problem: string,
  retryable = false,
): ModelFailure {
  return { kind, message: `${model}: ${problem}`, problem, status: null, retryAfterMs: null, retryable }
}
