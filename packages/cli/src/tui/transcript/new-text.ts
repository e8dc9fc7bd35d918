/**
 * What a model writes after its response was cut off. It may begin again: as long as it repeats what was received before, nothing is
 * passed on, because that is on the screen already.
 */
export class NewText {
  readonly #received: string
  #held = ''
  /** `null` until it is known. */
  #isContinued: boolean | null = null

  /** `received` is the text of the response that was cut off. */
  constructor(received: string) {
    this.#received = received
  }

  /** The text to show, and whether it continues what was received; `null` while that is open. */
  push(text: string): { readonly text: string; readonly isContinued: boolean } | null {
    if (this.#isContinued !== null) return { text, isContinued: this.#isContinued }
    // Only what is new is compared, because a long text may be repeated in many pieces.
    const from = this.#held.length
    this.#held += text
    if (this.#received.startsWith(text, from)) return null
    this.#isContinued = text.startsWith(this.#received.slice(from))
    const shown = this.#isContinued ? this.#held.slice(this.#received.length) : this.#held
    this.#held = ''
    return { text: shown, isContinued: this.#isContinued }
  }
}
