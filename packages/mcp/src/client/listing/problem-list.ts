/** The log must not be filled by whoever it complains of. */
const most = 10

/** What is wrong with a server, for the log: each thing once, and of many only the first. */
export class ProblemList {
  readonly #told = new Set<string>()
  #more = 0

  /** True if it is a new one, and not one too many. */
  add(problem: string): boolean {
    if (this.#told.has(problem)) return false
    if (this.#told.size === most) {
      this.#more++
      return false
    }
    this.#told.add(problem)
    return true
  }

  get lines(): readonly string[] {
    const more = this.#more === 0 ? [] : [`and ${this.#more} more, which are left out here`]
    return [...this.#told, ...more]
  }
}
