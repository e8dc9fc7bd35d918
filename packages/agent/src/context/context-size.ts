import type { HistoryItem } from '../history/history-item.ts'
import { estimateItem } from './estimate-tokens.ts'

/** A provider that reports less than this share of the estimate does not count everything, such as what it has cached. */
const minReported = 0.75

/** How many tokens a conversation has: what the provider reported for the last response, and an estimate of what changed since. */
export class ContextSize {
  /** The items that are counted; only those after them have to be estimated. */
  #items: readonly HistoryItem[] = []
  #count = 0
  #estimate = 0
  #last: { readonly tokens: number; readonly estimate: number } | null = null

  /** After a response: `reported` is the number of tokens of the request and the response. */
  received(reported: number | null, items: readonly HistoryItem[], fixed: number): void {
    const estimate = fixed + this.#estimateItems(items)
    this.#last = { tokens: Math.max(reported ?? estimate, minReported * estimate), estimate }
  }

  /** `fixed` is what the system prompt and the tools need. */
  tokens(items: readonly HistoryItem[], fixed: number): number {
    const estimate = fixed + this.#estimateItems(items)
    if (this.#last === null) return Math.round(estimate)
    const { tokens, estimate: before } = this.#last
    // What was removed was as dense as the rest.
    return Math.round(estimate < before ? tokens * (estimate / before) : tokens + (estimate - before))
  }

  #estimateItems(items: readonly HistoryItem[]): number {
    // The array is replaced when items are; otherwise it only grows.
    if (items !== this.#items) {
      this.#items = items
      this.#count = 0
      this.#estimate = 0
    }
    for (; this.#count < items.length; this.#count++) this.#estimate += estimateItem(items[this.#count]!)
    return this.#estimate
  }
}
