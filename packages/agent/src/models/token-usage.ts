import type { LanguageModelV4Usage } from '@ai-sdk/provider'

/** Tokens of one or more requests, as far as the models reported them. */
export interface TokenUsage {
  readonly requests: number
  /** Includes `cachedInputTokens`. */
  readonly inputTokens: number
  /** Input that was read from the provider's cache. */
  readonly cachedInputTokens: number
  /** Includes `reasoningTokens`. */
  readonly outputTokens: number
  readonly reasoningTokens: number
}

export const noUsage: TokenUsage = {
  requests: 0,
  inputTokens: 0,
  cachedInputTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
}

/** Adds one request. A number that a provider does not report, or reports wrongly, counts as 0. */
export function addUsage(sum: TokenUsage, { inputTokens, outputTokens }: LanguageModelV4Usage): TokenUsage {
  return {
    requests: sum.requests + 1,
    inputTokens: sum.inputTokens + tokens(inputTokens?.total),
    cachedInputTokens: sum.cachedInputTokens + tokens(inputTokens?.cacheRead),
    outputTokens: sum.outputTokens + tokens(outputTokens?.total),
    reasoningTokens: sum.reasoningTokens + tokens(outputTokens?.reasoning),
  }
}

function tokens(count: number | undefined): number {
  return typeof count === 'number' && count > 0 && Number.isFinite(count) ? count : 0
}
