import type { AssistantItem, HistoryItem, HistoryResult, UserItem } from './history-item.ts'

/** The items of a conversation. Every call is followed by its result. */
export class History {
  readonly #now: () => number
  readonly #onItem: (item: HistoryItem) => void
  #items: HistoryItem[] = []
  #lastId = 0
  /** Of the last response. One string for all of its responses instead of one for each. */
  #model = ''

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
    this.#add({ id: ++this.#lastId, at: this.#now(), type: 'user', source, parts })
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

  /** The callers list all fields: an object with spread fields takes half as much memory again. */
  #add(item: HistoryItem): void {
    this.#items.push(item)
    this.#onItem(item)
  }
}
