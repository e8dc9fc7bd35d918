/** What OpenAI and Anthropic accept as the id of a call. */
const accepted = /^[A-Za-z0-9_-]{1,40}$/
const ownPrefix = 'curfew_'

/** Unique ids for the calls of one prompt. The same history yields the same ids, so that prompt caches stay valid. */
export class CallIds {
  readonly #used = new Set<string>()
  #count = 0

  next(id: string): string {
    this.#count++
    const isUsable = accepted.test(id) && !id.startsWith(ownPrefix) && !this.#used.has(id)
    const unique = isUsable ? id : `${ownPrefix}${this.#count}`
    this.#used.add(unique)
    return unique
  }
}
