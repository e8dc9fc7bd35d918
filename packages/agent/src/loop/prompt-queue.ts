import type { UserPart } from '../history/history-item.ts'
import type { AgentEvent } from './agent-event.ts'
import { EventQueue } from './event-queue.ts'
import { mergeEvents } from './merge-events.ts'
import type { TurnEnd } from './turn-context.ts'

/** A prompt that was sent. */
interface Sent {
  readonly parts: readonly UserPart[]
  readonly text: string
  readonly events: EventQueue<AgentEvent>
  readonly signal: AbortSignal | undefined
  readonly onAbort: () => void
}

interface PromptQueueListener {
  /** Called with the texts of the prompts that wait. */
  onChange(queued: readonly string[]): void
  /** The person who sent a prompt of the running turn, or its reader, no longer wants an answer. */
  onAbort(reason: unknown): void
}

const aborted = (): AgentEvent => ({ type: 'end', reason: 'abort', message: null })

/** The prompts that wait, and those of the running turn, which all see its events: the same objects, so that a reader of several can show each once. */
export class PromptQueue {
  readonly #listener: PromptQueueListener
  #waiting: Sent[] = []
  #current: Sent[] = []

  constructor(listener: PromptQueueListener) {
    this.#listener = listener
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  /** Returns the events of the prompt. Aborting the signal withdraws it. */
  add(parts: readonly UserPart[], signal: AbortSignal | undefined): AsyncIterable<AgentEvent> {
    const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
    const onAbort = (): void => this.#withdraw(sent)
    const sent: Sent = { parts, text, signal, onAbort, events: new EventQueue(onAbort, mergeEvents) }
    if (signal?.aborted) {
      end(sent, aborted())
      return sent.events
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    this.#waiting.push(sent)
    this.#changed()
    return sent.events
  }

  /** Begins a turn with the first prompt. Returns its parts, or `null` if there is none. */
  begin(): readonly UserPart[] | null {
    const first = this.#waiting.shift()
    if (first === undefined) return null
    this.#changed()
    this.#current = [first]
    return first.parts
  }

  /** All prompts that wait become part of the running turn. Returns the parts of each. */
  deliver(): (readonly UserPart[])[] {
    const delivered = this.#waiting
    if (delivered.length === 0) return []
    this.#waiting = []
    this.#changed()
    this.#current.push(...delivered)
    return delivered.map(({ parts }) => parts)
  }

  emit(event: AgentEvent): void {
    for (const { events } of this.#current) events.push(event)
  }

  /** Ends the turn for all its prompts. */
  end(turnEnd: TurnEnd): void {
    const ended = this.#current
    this.#current = []
    const event: AgentEvent = { type: 'end', ...turnEnd }
    for (const sent of ended) end(sent, event)
  }

  /** Withdraws the prompts that wait. Returns their texts. */
  withdrawAll(): readonly string[] {
    const withdrawn = this.#waiting
    this.#waiting = []
    for (const sent of withdrawn) end(sent, aborted())
    this.#changed()
    return withdrawn.map(({ text }) => text)
  }

  /** ESC, or a reader that stopped reading. */
  #withdraw(sent: Sent): void {
    if (this.#current.includes(sent)) return this.#listener.onAbort(sent.signal?.reason)
    if (!this.#waiting.includes(sent)) return
    this.#waiting = this.#waiting.filter((other) => other !== sent)
    this.#changed()
    end(sent, aborted())
  }

  #changed(): void {
    this.#listener.onChange(this.#waiting.map(({ text }) => text))
  }
}

function end({ events, signal, onAbort }: Sent, event: AgentEvent): void {
  signal?.removeEventListener('abort', onAbort)
  events.push(event)
  events.end()
}
