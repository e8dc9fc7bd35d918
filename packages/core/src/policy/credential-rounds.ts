/** Maximum number of prompts for a key per tool and turn, whether the runtime or the model asks. */
export const maxCredentialRounds = 2

/**
 * Counts the prompts for keys in one turn. A prompt that the model requests (`store_secret`) counts for every tool, and the
 * prompts of every tool count for the model, so it cannot get more prompts by naming another tool or none.
 */
export class CredentialRounds {
  /** By key, then by tool; `null` is the model. */
  readonly #counts = new Map<string, Map<string | null, number>>()

  /** True if no further prompt for this key is allowed on behalf of this tool. */
  isSpent(key: string, tool: string | null): boolean {
    const counts = this.#counts.get(key)
    if (counts === undefined) return false
    const used =
      tool === null
        ? [...counts.values()].reduce((sum, count) => sum + count, 0)
        : (counts.get(tool) ?? 0) + (counts.get(null) ?? 0)
    return used >= maxCredentialRounds
  }

  add(key: string, tool: string | null): void {
    const counts = this.#counts.get(key) ?? new Map<string | null, number>()
    this.#counts.set(key, counts.set(tool, (counts.get(tool) ?? 0) + 1))
  }
}
