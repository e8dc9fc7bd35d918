import type { Outcome } from './outcome.ts'

export interface ThreadTool {
  readonly name: string
  readonly module: string
  readonly exportName: string
  readonly parameters: Readonly<Record<string, unknown>>
}

export interface ThreadData {
  readonly tools: readonly ThreadTool[]
  readonly mutant: string | null
  readonly limitMs: number
}

export type ThreadRequest =
  | { readonly type: 'call'; readonly id: number; readonly name: string; readonly params: string }
  | { readonly type: 'abort'; readonly id: number }
  | {
      readonly type: 'nested-result'
      readonly id: number
      readonly nested: number
      readonly outcome: Outcome
    }
  | { readonly type: 'ping' }

export type ThreadReport =
  | { readonly type: 'ready' }
  | { readonly type: 'pong' }
  | { readonly type: 'outcome'; readonly id: number; readonly outcome: Outcome }
  /** The thread itself failed. */
  | { readonly type: 'broken'; readonly id: number; readonly message: string }
  | { readonly type: 'output'; readonly id: number; readonly text: string }
  | { readonly type: 'progress'; readonly id: number }
  | { readonly type: 'returned'; readonly id: number }
  | { readonly type: 'timeout'; readonly id: number }
  | {
      readonly type: 'nested'
      readonly id: number
      readonly nested: number
      readonly name: string
      readonly params: string
    }
