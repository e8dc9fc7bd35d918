/** What a tool does to the world, with the words that tell of it. Empty where nothing does. */
export interface Behaviour {
  /** Runs commands or code that the caller chooses. */
  readonly runs: readonly string[]
  readonly writes: readonly string[]
  readonly deletes: readonly string[]
  /** Replaces what was there. */
  readonly overwrites: readonly string[]
  /** Reaches addresses beyond the machine. */
  readonly network: readonly string[]
  /** Doing it twice is more than doing it once. */
  readonly repeats: readonly string[]
}

/** The same while it is learned. */
export type Effects = Record<keyof Behaviour, string[]>
