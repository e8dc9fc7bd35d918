/** The effects of a tool, each with the words that indicate it; empty if none do. */
export interface Behaviour {
  /** Only looks something up, according to both name and description; never together with another effect on data. */
  readonly reads: readonly string[]
  /** Runs commands or code chosen by the caller. */
  readonly runs: readonly string[]
  readonly writes: readonly string[]
  readonly deletes: readonly string[]
  /** Removes something from something else, which may exist without it. */
  readonly removes: readonly string[]
  /** Saves the result to a file if the caller names one. */
  readonly saves: readonly string[]
  /** Replaces existing content. */
  readonly overwrites: readonly string[]
  /** Accesses the network. */
  readonly network: readonly string[]
  /** Has a further effect when repeated. */
  readonly repeats: readonly string[]
}

/** A `Behaviour` under construction. */
export type Effects = Record<keyof Behaviour, string[]>
