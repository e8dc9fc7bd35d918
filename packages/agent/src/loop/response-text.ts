import type { Runtime } from '@curfew/core'
import type { AgentEvent } from './agent-event.ts'

type TextEvent = Extract<AgentEvent, { type: 'text' | 'reasoning' }>

/** Passes on what a model writes, without secrets, also if one arrives in several pieces. */
export class ResponseText {
  readonly #emit: (event: TextEvent) => void
  readonly #redactor: ReturnType<Runtime['redactStream']>
  #type: TextEvent['type'] = 'text'

  constructor(runtime: Pick<Runtime, 'redactStream'>, emit: (event: TextEvent) => void) {
    this.#redactor = runtime.redactStream()
    this.#emit = emit
  }

  push(event: TextEvent): void {
    if (event.type !== this.#type) {
      this.end()
      this.#type = event.type
    }
    const text = this.#redactor.push(event.text)
    if (text === event.text) this.#emit(event)
    else if (text !== '') this.#emit({ type: event.type, text })
  }

  end(): void {
    const text = this.#redactor.end()
    if (text !== '') this.#emit({ type: this.#type, text })
  }
}
