import type { AssistantItem, HistoryItem, HistoryResult, UserItem } from './history-item.ts'

export interface HistoryListener {
  onAdd(item: HistoryItem): void
  /** These items replaced those with the same ids. */
  onReplace(items: readonly HistoryItem[]): void
  onRemove(removal: Removal): void
  /** All items after this one were removed; 0: all items. */
  onRewind(position: number): void
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

  /** The id of the last item, but not of a response whose calls have no results yet; 0 if there is none. */
  get position(): number {
    const complete = this.#items.findLast((item, index) => index < this.#items.length - 1 || !hasCalls(item))
    return complete?.id ?? 0
  }

  /** Whether the history can be as it was when this item was the last one; 0: when there was none. */
  canRewind(position: number): boolean {
    if (position === 0) return true
    const at = this.#items.findIndex(({ id }) => id === position)
    return at >= 0 && !hasCalls(this.#items[at]!) && !this.#isSummarizedAfter(at)
  }

  /** Removes all items after this one; 0 removes all. Returns whether there were any. */
  rewind(position: number): boolean {
    const end = position === 0 ? 0 : this.#items.findIndex(({ id }) => id === position) + 1
    if (end === this.#items.length) return false
    this.#items = this.#items.slice(0, end)
    this.#listener.onRewind(position)
    return true
  }

  /** Whether the summary also replaced items after this one: the person's last message, which a removal keeps. */
  #isSummarizedAfter(at: number): boolean {
    const [first, kept, next] = this.#items
    if (at !== 1 || first?.type !== 'user' || first.source !== 'summary') return false
    return kept!.id < first.id && next?.id !== kept!.id + 1
  }

  /** The callers list all fields: an object with spread fields takes half as much memory again. */
  #add(item: HistoryItem): void {
    this.#items.push(item)
    this.#listener.onAdd(item)
  }
}

function hasCalls(item: HistoryItem): boolean {
  return item.type === 'assistant' && item.parts.some(({ type }) => type === 'call')
}
