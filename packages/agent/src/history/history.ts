import type { AssistantItem, HistoryItem, HistoryResult, UserItem } from './history-item.ts'

type Draft<T> = T extends HistoryItem ? Omit<T, 'id' | 'at'> : never

/** The items of a conversation. Every call is followed by its result. */
export class History {
  readonly #now: () => number
  readonly #onItem: (item: HistoryItem) => void
  #items: HistoryItem[] = []
  #lastId = 0

  /** `items` are those of a resumed conversation. */
  constructor(now: () => number, onItem: (item: HistoryItem) => void, items: readonly HistoryItem[] = []) {
    this.#now = now
    this.#onItem = onItem
    this.#items = [...items]
    this.#lastId = items.reduce((last, { id }) => Math.max(last, id), 0)
  }

  get items(): readonly HistoryItem[] {
    return this.#items
  }

  addUser(parts: UserItem['parts'], source: UserItem['source'] = 'person'): void {
    this.#add({ type: 'user', source, parts })
  }

  addAssistant(model: string, parts: AssistantItem['parts'], incomplete = false): void {
    this.#add({ type: 'assistant', model, parts, ...(incomplete && { incomplete }) })
  }

  addResults(results: readonly HistoryResult[]): void {
    this.#add({ type: 'results', results })
  }

  #add(draft: Draft<HistoryItem>): void {
    const item: HistoryItem = { id: ++this.#lastId, at: this.#now(), ...draft }
    this.#items.push(item)
    this.#onItem(item)
  }
}
