import type { HistoryItem } from '../history/history-item.ts'
import type { AgentSnapshot } from './agent-state.ts'

/** The changes after revision `from`, up to and including `revision`. */
export interface AgentDelta {
  readonly from: number
  readonly revision: number
  /** All items; `null` if none was replaced or removed. */
  readonly items: readonly HistoryItem[] | null
  /** Items at the end. Empty if there are `items`. */
  readonly added: readonly HistoryItem[]
  /** The pending response was removed before what follows was written. */
  readonly isCleared: boolean
  /** What was written since, at the end of the pending response. */
  readonly text: string
  readonly reasoning: string
  /** The other fields that were set. */
  readonly set: Partial<AgentFields>
}

/** The parts of a snapshot that are replaced as a whole. */
export type AgentFields = Omit<AgentSnapshot, 'revision' | 'items' | 'pending'>

/** The snapshot after a change. `null` if the delta does not follow it: read a snapshot then. */
export function applyAgentDelta(snapshot: AgentSnapshot, delta: AgentDelta): AgentSnapshot | null {
  if (delta.from !== snapshot.revision) return null
  const { items, added, isCleared, revision, set } = delta
  const before = isCleared ? null : snapshot.pending
  const text = (before?.text ?? '') + delta.text
  const reasoning = (before?.reasoning ?? '') + delta.reasoning
  return {
    ...snapshot,
    ...set,
    revision,
    items: items ?? (added.length === 0 ? snapshot.items : [...snapshot.items, ...added]),
    pending: text === '' && reasoning === '' ? null : { text, reasoning },
  }
}

/** Collects changes until listeners are notified. */
export class AgentChanges {
  readonly #from: number
  #added: HistoryItem[] = []
  #hasNewItems = false
  #isCleared = false
  #text = ''
  #reasoning = ''
  #set: Partial<AgentFields> = {}

  constructor(from: number) {
    this.#from = from
  }

  addItem(item: HistoryItem): void {
    if (!this.#hasNewItems) this.#added.push(item)
  }

  replaceItems(): void {
    this.#hasNewItems = true
    this.#added = []
  }

  addText(type: 'text' | 'reasoning', text: string): void {
    if (type === 'text') this.#text += text
    else this.#reasoning += text
  }

  clear(): void {
    this.#isCleared = true
    this.#text = ''
    this.#reasoning = ''
  }

  set(fields: Partial<AgentFields>): void {
    Object.assign(this.#set, fields)
  }

  /** `items` are all current ones. */
  toDelta(revision: number, items: readonly HistoryItem[]): AgentDelta {
    return {
      from: this.#from,
      revision,
      items: this.#hasNewItems ? items : null,
      added: this.#added,
      isCleared: this.#isCleared,
      text: this.#text,
      reasoning: this.#reasoning,
      set: this.#set,
    }
  }
}
