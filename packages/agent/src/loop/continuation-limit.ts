import { type Conversation, CurfewError } from '@curfew/core'

/** Counts the continuations of a conversation. After every so many, the person is asked whether the model may go on. */
export class ContinuationLimit {
  readonly #step: number
  #count: number
  #allowed: number

  /** `count` is that of a resumed conversation. */
  constructor(step: number, count = 0) {
    this.#step = step
    this.#count = count
    this.#allowed = step * Math.max(1, Math.ceil(count / step))
  }

  get count(): number {
    return this.#count
  }

  /** Counts a continuation. Returns why there can be none, or `null`. */
  async continue(conversation: Conversation, signal: AbortSignal): Promise<string | null> {
    if (this.#count >= this.#allowed) {
      const refusal = await this.#ask(conversation, signal)
      if (refusal !== null) return refusal
      this.#allowed += this.#step
    }
    this.#count++
    return null
  }

  async #ask(conversation: Conversation, signal: AbortSignal): Promise<string | null> {
    const continued = `the model has continued ${this.#count.toLocaleString('en-US')} times in this conversation`
    const message = `${continued[0]!.toUpperCase()}${continued.slice(1)} (limits.conversationContinuations). May it go on?`
    try {
      if ((await conversation.ask({ message, choices: ['yes', 'no'] }, { signal })) === 'yes') return null
      return `${continued}, and the person stopped it`
    } catch (error) {
      if (!(error instanceof CurfewError)) throw error
      return `${continued}, and nobody allowed it to go on (limits.conversationContinuations)`
    }
  }
}
