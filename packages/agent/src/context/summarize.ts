import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { Clock } from '@curfew/core/internal'
import type { HistoryItem, UserItem } from '../history/history-item.ts'
import { failure, ModelError, type ModelUsage } from '../models/model-error.ts'
import type { ModelLimits } from '../models/model-limits.ts'
import { nameOfModel } from '../models/name-of-model.ts'
import { type ModelEvent, type ModelRequest, streamModel } from '../models/stream-model.ts'
import { estimateItems, estimateText, minTokens } from './estimate-tokens.ts'

/** The estimated tokens of a request and its response. */
export interface UsageEstimate {
  readonly input: number
  /** If less is reported, it is not believed. */
  readonly minInput: number
  readonly output: number
}

/** What a request to a model needs besides its content. */
export interface RequestScope {
  readonly model: LanguageModelV4
  readonly signal: AbortSignal
  readonly limits: ModelLimits | undefined
  readonly clock: Clock
  /** Removes secrets. */
  readonly redact: (text: string) => string
  /** `usage` is `null` if the provider reported nothing. */
  onUsage(usage: ModelUsage | null, estimate: UsageEstimate): void
  onRetry(retry: Extract<ModelEvent, { type: 'retry' }>): void
}

/** Asks the model for a summary of these items; `build` makes a request of them. Throws a `ModelError`. */
export async function summarize(
  items: readonly HistoryItem[],
  instructions: string,
  build: (items: readonly HistoryItem[]) => ModelRequest,
  { model, signal, limits, clock, redact, onUsage, onRetry }: RequestScope,
): Promise<string> {
  // The request begins like the last one, so that the provider's prompt cache is used.
  const request = build([...items, question(instructions)])
  let text = ''
  const estimate = (): UsageEstimate => ({
    input: estimateItems(items),
    minInput: minTokens(request.prompt),
    output: estimateText(text),
  })
  try {
    for await (const event of streamModel(model, request, { signal, limits, clock, redact })) {
      if (event.type === 'text') text += event.text
      else if (event.type === 'retry') onRetry(event)
      else if (event.type === 'finish') onUsage(event.usage, estimate())
    }
  } catch (error) {
    if (error instanceof ModelError && (error.usage !== null || text !== '')) onUsage(error.usage, estimate())
    throw error
  }
  if (text.trim() === '')
    throw new ModelError(failure('invalid-response', nameOfModel(model), 'the summary is empty'))
  return text.trim()
}

const task = `Summarize this conversation so that you can continue it with nothing but the summary, which replaces the messages above. Do not call tools and do not answer the person. Include:
- what the person asked for, with constraints, decisions and preferences; quote what must stay exact
- what was done and found: files, functions, commands, values, errors and their solutions
- paths of files with complete results that may be needed again
- what remains to be done`

function question(instructions: string): UserItem {
  const text = instructions.trim() === '' ? task : `${task}\nThe person adds: ${instructions.trim()}`
  return { type: 'user', source: 'person', id: 0, at: 0, parts: [{ type: 'text', text }] }
}
