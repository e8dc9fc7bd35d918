import { Listeners } from '@curfew/core/internal'
import type { ContextUsage } from '../context/context-notice.ts'
import type { HistoryItem } from '../history/history-item.ts'
import { AgentChanges, type AgentDelta, type AgentFields } from './agent-delta.ts'
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
  readonly #listeners: Listeners<AgentDelta>
  #snapshot: AgentSnapshot | null = null
  #revision = 0
  #items: HistoryItem[]
  /** A copy for snapshots; `null` if an item has changed since. */
  #shownItems: readonly HistoryItem[] | null = null
  #text = ''
  #reasoning = ''
  #isResponding = false
  #isWaiting = false
  #fields: AgentFields
  /** Since listeners were notified; `null` if nothing has changed, or nobody listens. */
  #changes: AgentChanges | null = null

  /** `items` are those of a resumed conversation. */
  constructor(
    defer: (task: () => void) => void,
    reportListener: (error: unknown) => void,
    items: readonly HistoryItem[] = [],
  ) {
    this.#defer = defer
    this.#listeners = new Listeners(reportListener)
    this.#items = [...items]
    this.#fields = {
      streamingState: 'idle',
      queued: [],
      submittedItemId: items.at(-1)?.id ?? 0,
      context: { tokens: 0, window: null, share: null },
      mode: null,
      model: '',
    }
  }

  subscribe(listener: (delta: AgentDelta) => void): () => void {
    return this.#listeners.add(listener)
  }

  getSnapshot(): AgentSnapshot {
    this.#snapshot ??= {
      revision: this.#revision,
      items: this.#itemsToShow(),
      pending:
        this.#text === '' && this.#reasoning === '' ? null : { text: this.#text, reasoning: this.#reasoning },
      ...this.#fields,
    }
    return this.#snapshot
  }

  addItem(item: HistoryItem): void {
    if (item.type === 'assistant') this.#clearPending()
    this.#items.push(item)
    this.#shownItems = null
    this.#changed()?.addItem(item)
  }

  /** Some items were replaced or removed. The others must keep their identity. */
  setItems(items: readonly HistoryItem[]): void {
    this.#items = [...items]
    this.#shownItems = null
    this.#changed()?.replaceItems()
  }

  addText(type: 'text' | 'reasoning', text: string): void {
    if (type === 'text') this.#text += text
    else this.#reasoning += text
    this.#changed()?.addText(type, text)
  }

  setContext(context: ContextUsage): void {
    this.#set({ context })
  }

  setResponding(isResponding: boolean): void {
    this.#isResponding = isResponding
    if (!isResponding) this.#clearPending()
    this.#setStreamingState()
  }

  setWaiting(isWaiting: boolean): void {
    if (this.#isWaiting === isWaiting) return
    this.#isWaiting = isWaiting
    this.#setStreamingState()
  }

  setQueued(queued: readonly string[]): void {
    this.#set({ queued })
  }

  setMode(mode: AgentMode): void {
    this.#set({ mode })
  }

  setModel(model: string): void {
    this.#set({ model })
  }

  /** All items so far are part of a request. */
  submit(): void {
    this.#set({ submittedItemId: this.#items.at(-1)?.id ?? 0 })
  }

  #setStreamingState(): void {
    this.#set({ streamingState: !this.#isResponding ? 'idle' : this.#isWaiting ? 'waiting' : 'responding' })
  }

  #set(fields: Partial<AgentFields>): void {
    this.#fields = { ...this.#fields, ...fields }
    this.#changed()?.set(fields)
  }

  #clearPending(): void {
    this.#text = ''
    this.#reasoning = ''
    this.#changed()?.clear()
  }

  #itemsToShow(): readonly HistoryItem[] {
    this.#shownItems ??= this.#items.slice()
    return this.#shownItems
  }

  /** Returns where to record the change; `null` if nobody listens. */
  #changed(): AgentChanges | null {
    this.#snapshot = null
    this.#revision++
    if (this.#changes !== null) return this.#changes
    if (this.#listeners.size === 0) return null
    this.#changes = new AgentChanges(this.#revision - 1)
    this.#defer(() => this.#notify())
    return this.#changes
  }

  #notify(): void {
    const changes = this.#changes!
    this.#changes = null
    this.#listeners.notify(changes.toDelta(this.#revision, this.#itemsToShow()))
  }
}
