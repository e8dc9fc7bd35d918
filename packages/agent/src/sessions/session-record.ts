import type { HistoryItem } from '../history/history-item.ts'

/** A file with another version is rejected. A new type of record does not need a new version: readers skip types that they do not know. */
export const sessionVersion = 1

/** The first line of a session file. */
export interface SessionHeader {
  readonly type: 'session'
  readonly version: typeof sessionVersion
  readonly id: string
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** The folder that the conversation is about. */
  readonly project: string
  /** `provider:model` at the start. */
  readonly model: string
  /** The session that this one is a copy of. */
  readonly forkedFrom?: string
}

/** Every other line. */
export type SessionRecord =
  /** An item with a known id replaces that item. A summary takes effect with the `removed` record after it. */
  | { readonly type: 'item'; readonly item: HistoryItem }
  /** Calls that are about to run. */
  | { readonly type: 'calls'; readonly calls: readonly StartedCall[] }
  | {
      readonly type: 'counts'
      readonly continuations: number
      readonly usage: SessionUsage
      /** Set when the record is written. */
      readonly turns?: number
    }
  /** All loaded tools; replaces the previous record. */
  | { readonly type: 'loaded'; readonly tools: readonly string[] }
  | { readonly type: 'model'; readonly model: string }
  /**
   * The items before this one, including an earlier summary, were replaced by the last summary, if there is one. Those in `keep`
   * follow the summary.
   */
  | { readonly type: 'removed'; readonly before: number; readonly keep?: readonly number[] }
  /** All items after this one were removed; 0: all items. */
  | { readonly type: 'rewound'; readonly position: number }
  | {
      readonly type: 'end'
      readonly reason: string
      /** Set when the record is written. */
      readonly turns?: number
    }

export interface StartedCall {
  readonly callId: string
  readonly name: string
  /** Milliseconds since 1970. */
  readonly startedAt: number
}

/** Totals of the conversation by name, such as `inputTokens`; `null` if a total is unknown. */
export type SessionUsage = Readonly<Record<string, number | null>>

/** Whether a record begins a turn. */
export function isPrompt(record: SessionRecord): boolean {
  return record.type === 'item' && record.item.type === 'user' && record.item.source === 'person'
}
