/** Logs lines of a topic that were not in its last list, so that a problem is logged once while it lasts, and again if it returns. */
export class LogOnce {
  readonly #log: (line: string) => void
  readonly #last = new Map<string, ReadonlySet<string>>()

  constructor(log: (line: string) => void) {
    this.#log = log
  }

  /** These were logged elsewhere. */
  known(topic: string, lines: readonly string[]): void {
    this.#last.set(topic, new Set(lines))
  }

  /** The current lines of a topic. */
  changed(topic: string, lines: readonly string[]): void {
    const last = this.#last.get(topic)
    this.known(topic, lines)
    for (const line of new Set(lines)) if (last?.has(line) !== true) this.#log(line)
  }
}
