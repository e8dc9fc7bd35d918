import type { AssistantItem, HistoryItem, HistoryResult, UserItem } from './history-item.ts'

export interface HistoryListener {
  onAdd(item: HistoryItem): void
  /** These items replaced those with the same ids. */
  onReplace(items: readonly HistoryItem[]): void
  onRemove(removal: Removal): void
}

/** Items that a summary replaced. */
export interface Removal {
  readonly summary: UserItem
  /** The id of the first item that was not considered. */
  readonly before: number
  /** The ids of earlier items that were kept. They follow the summary. */
  readonly keep: readonly number[]
}

/** The items of a conversation. Every call is followed by its result. */
export class History {
  readonly #now: () => number
  readonly #listener: HistoryListener
  #items: HistoryItem[] = []
  #lastId = 0
  /** Of the last response. One string for all of its responses instead of one for each. */
  #model = ''

  /** `items` are those of a resumed conversation. */
  constructor(now: () => number, listener: HistoryListener, items: readonly HistoryItem[] = []) {
    this.#now = now
    this.#listener = listener
    this.#items = [...items]
    this.#lastId = items.reduce((last, { id }) => Math.max(last, id), 0)
  }

  get items(): readonly HistoryItem[] {
    return this.#items
  }

  addUser(parts: UserItem['parts']): void {
    this.#add({ id: ++this.#lastId, at: this.#now(), type: 'user', source: 'person', parts })
  }

  addAssistant(model: string, parts: AssistantItem['parts'], incomplete = false): void {
    if (model !== this.#model) this.#model = model
    const item = {
      id: ++this.#lastId,
      at: this.#now(),
      type: 'assistant',
      model: this.#model,
      parts,
    } as const
    this.#add(incomplete ? { ...item, incomplete } : item)
  }

  addResults(results: readonly HistoryResult[]): void {
    this.#add({ id: ++this.#lastId, at: this.#now(), type: 'results', results })
  }

  /** Replaces the items with the same ids. */
  replace(items: readonly HistoryItem[]): void {
    if (items.length === 0) return
    const byId = new Map(items.map((item) => [item.id, item]))
    this.#items = this.#items.map((item) => byId.get(item.id) ?? item)
    this.#listener.onReplace(items)
  }

  /** Replaces the items before a place with a summary, except for those in `keep`, which follow it. */
  summarize(end: number, parts: UserItem['parts'], keep: readonly HistoryItem[] = []): void {
    const summary: UserItem = { id: ++this.#lastId, at: this.#now(), type: 'user', source: 'summary', parts }
    const before = this.#items[end]?.id ?? this.#lastId
    this.#items = [summary, ...keep, ...this.#items.slice(end)]
    this.#listener.onRemove({ summary, before, keep: keep.map(({ id }) => id) })
  }

  /** The callers list all fields: an object with spread fields takes half as much memory again. */
  #add(item: HistoryItem): void {
    this.#items.push(item)
    this.#listener.onAdd(item)
  }
}
