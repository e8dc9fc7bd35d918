/** Tells a person what is wrong, at most once per problem. */
export class JournalWarnings {
  readonly #path: string
  readonly #warn: (message: string) => void
  readonly #reported = new Set<string>()
  #isRetrying = false

  constructor(path: string, warn: (message: string) => void) {
    this.#path = path
    this.#warn = warn
  }

  /** Of several problems in a row, the first one is the cause. */
  retrying(problem: string): void {
    if (!this.#isRetrying) this.#report(problem, `calls are not recorded at the moment: ${problem}`)
    this.#isRetrying = true
  }

  solved(): void {
    this.#isRetrying = false
  }

  failed(problem: string): void {
    this.#report(problem, `calls are not recorded: ${problem}`)
  }

  replaced(): void {
    this.#report(
      'replaced',
      'the journal was deleted or replaced while in use; calls are recorded in a new one',
    )
  }

  failedToReport(problem: string): void {
    this.#report('onLost', `a listener of lost calls has failed: ${problem}`)
  }

  jumped(jumpMs: number): void {
    const hours = Math.round(Math.abs(jumpMs) / 360_000) / 10
    this.#report(
      'jumped',
      `the clock of this machine was set ${jumpMs > 0 ? 'ahead' : 'back'} by ${hours} hours; for a day, no calls are removed because of their age`,
    )
  }

  #report(problem: string, message: string): void {
    if (this.#reported.has(problem)) return
    this.#reported.add(problem)
    try {
      this.#warn(message.startsWith(this.#path) ? message : `${this.#path}: ${message}`)
    } catch {
      // A program whose warning fails must not fail because of the journal.
    }
  }
}
