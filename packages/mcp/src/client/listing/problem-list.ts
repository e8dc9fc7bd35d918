/** A misbehaving server must not fill the log. */
const maxProblems = 10

/** Collects distinct problems of a server, up to a limit. */
export class ProblemList {
  readonly #problems = new Set<string>()
  #omitted = 0

  /** Returns whether it was added: it is new, and the limit is not reached. */
  add(problem: string): boolean {
    if (this.#problems.has(problem)) return false
    if (this.#problems.size === maxProblems) {
      this.#omitted++
      return false
    }
    this.#problems.add(problem)
    return true
  }

  get lines(): readonly string[] {
    const rest = this.#omitted === 0 ? [] : [`further problems omitted: ${this.#omitted}`]
    return [...this.#problems, ...rest]
  }
}
