import { Listeners } from '@curfew/core/internal'
import type { ContextUsage } from '../context/context-notice.ts'
import type { HistoryItem } from '../history/history-item.ts'
import type { AgentMode } from './agent-mode.ts'

export type StreamingState =
  | 'idle'
  /** The model or a tool is working. */
  | 'responding'
  /** A person has to answer a question first. */
  | 'waiting'

/** What a user interface shows. The same object while nothing changes; unchanged items keep their identity. */
export interface AgentSnapshot {
  readonly revision: number
  readonly streamingState: StreamingState
  /** The same array while no item changes, such as while the model writes. */
  readonly items: readonly HistoryItem[]
  /** What the model has written so far in its current response. */
  readonly pending: { readonly text: string; readonly reasoning: string } | null
  /** Prompts that will be delivered after the current batch. */
  readonly queued: readonly string[]
  /** The id of the last item that was sent to the model: the results of later items have not been submitted yet. */
  readonly submittedItemId: number
  /** How much of the model's context window the conversation uses. */
  readonly context: ContextUsage
  /** `null` inside another agent's call, whose mode applies, unless it was set. */
  readonly mode: AgentMode | null
  /** `provider:model` of the current turn, or of the next one if none is running. */
  readonly model: string
}

/** The state of an agent. A change is O(1); listeners are notified at most once per turn of the event loop. */
export class AgentState {
  readonly #defer: (task: () => void) => void
  readonly #listeners: Listeners<void>
  #snapshot: AgentSnapshot | null = null
  #deferred = false
  #revision = 0
  #items: HistoryItem[]
  /** A copy for snapshots; `null` if an item has changed since. */
  #shownItems: readonly HistoryItem[] | null = null
  #text = ''
  #reasoning = ''
  #responding = false
  #waiting = false
  #queued: readonly string[] = []
  #submittedItemId = 0
  #context: ContextUsage = { tokens: 0, window: null, share: null }
  #mode: AgentMode | null = null
  #model = ''

  /** `items` are those of a resumed conversation. */
  constructor(
    defer: (task: () => void) => void,
    reportListener: (error: unknown) => void,
    items: readonly HistoryItem[] = [],
  ) {
    this.#defer = defer
    this.#listeners = new Listeners(reportListener)
    this.#items = [...items]
    this.#submittedItemId = items.at(-1)?.id ?? 0
  }

  subscribe(listener: () => void): () => void {
    return this.#listeners.add(listener)
  }

  getSnapshot(): AgentSnapshot {
    this.#shownItems ??= this.#items.slice()
    this.#snapshot ??= {
      revision: this.#revision,
      streamingState: !this.#responding ? 'idle' : this.#waiting ? 'waiting' : 'responding',
      items: this.#shownItems,
      pending:
        this.#text === '' && this.#reasoning === '' ? null : { text: this.#text, reasoning: this.#reasoning },
      queued: this.#queued,
      submittedItemId: this.#submittedItemId,
      context: this.#context,
      mode: this.#mode,
      model: this.#model,
    }
    return this.#snapshot
  }

  addItem(item: HistoryItem): void {
    this.#items.push(item)
    this.#shownItems = null
    if (item.type === 'assistant') this.#clearPending()
    this.#changed()
  }

  /** Some items were replaced or removed. The others must keep their identity. */
  setItems(items: readonly HistoryItem[]): void {
    this.#items = [...items]
    this.#shownItems = null
    this.#changed()
  }

  setContext(context: ContextUsage): void {
    this.#context = context
    this.#changed()
  }

  addText(type: 'text' | 'reasoning', text: string): void {
    if (type === 'text') this.#text += text
    else this.#reasoning += text
    this.#changed()
  }

  setResponding(responding: boolean): void {
    this.#responding = responding
    if (!responding) this.#clearPending()
    this.#changed()
  }

  setWaiting(waiting: boolean): void {
    if (this.#waiting === waiting) return
    this.#waiting = waiting
    this.#changed()
  }

  setQueued(queued: readonly string[]): void {
    this.#queued = queued
    this.#changed()
  }

  setMode(mode: AgentMode): void {
    this.#mode = mode
    this.#changed()
  }

  setModel(model: string): void {
    this.#model = model
    this.#changed()
  }

  /** All items so far are part of a request. */
  submit(): void {
    this.#submittedItemId = this.#items.at(-1)?.id ?? 0
    this.#changed()
  }

  #clearPending(): void {
    this.#text = ''
    this.#reasoning = ''
  }

  #changed(): void {
    this.#snapshot = null
    this.#revision++
    if (this.#deferred || this.#listeners.size === 0) return
    this.#deferred = true
    this.#defer(() => {
      this.#deferred = false
      this.#listeners.notify()
    })
  }
}
