import type { SharedV4ProviderMetadata } from '@ai-sdk/provider'
import type { ResultPart } from '@curfew/core'

/** One entry of a conversation's history. Plain data: it is stored in sessions and shown by user interfaces. */
export type HistoryItem = UserItem | AssistantItem | ResultsItem

interface HistoryItemBase {
  /** Unique in the conversation. */
  readonly id: number
  /** Milliseconds since 1970. */
  readonly at: number
}

/** What a person wrote, including the results of what they typed (`/tool`, `@path`), or a summary of earlier items. */
export interface UserItem extends HistoryItemBase {
  readonly type: 'user'
  readonly source: 'person' | 'summary'
  readonly parts: readonly UserPart[]
}

export type UserPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'file'; readonly data: string; readonly mediaType: string; readonly name?: string }

/** What a model responded. */
export interface AssistantItem extends HistoryItemBase {
  readonly type: 'assistant'
  /** `provider:model`. Metadata of its parts is sent only to this model. */
  readonly model: string
  readonly parts: readonly AssistantPart[]
  /** The response was cut off by an error, a limit or a person. */
  readonly incomplete?: true
}

export type AssistantPart = { readonly metadata?: SharedV4ProviderMetadata } & (
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  | { readonly type: 'call'; readonly callId: string; readonly name: string; readonly input: unknown }
)

/** One result for each call of the assistant item before it, in the same order. */
export interface ResultsItem extends HistoryItemBase {
  readonly type: 'results'
  readonly results: readonly HistoryResult[]
}

export interface HistoryResult {
  readonly callId: string
  readonly name: string
  readonly status: 'success' | 'error' | 'cancelled'
  readonly code?: string
  /** What the model reads. */
  readonly content: string
  readonly parts?: readonly ResultPart[]
  /** The file that contains all of `content`, if it was shortened. */
  readonly spillPath?: string
  /** The call loaded a stub: `content` is the definition of the tool. */
  readonly loaded?: true
}
