import { unexpectedOption } from '@curfew/core/internal'

/** The number of tokens of a model's context window, or a function of `provider:model`. */
export type ContextWindow = number | ((model: string) => number | undefined)

const minWindow = 1_000

/** The context windows of models: what was configured, and what providers have shown by rejecting a request. */
export class ContextWindows {
  readonly #configured: ContextWindow | undefined
  readonly #learned = new Map<string, number>()

  constructor(configured: ContextWindow | undefined) {
    if (typeof configured !== 'function') check(configured)
    this.#configured = configured
  }

  /** `null` if it is unknown. */
  of(model: string): number | null {
    const configured = this.configured(model)
    const learned = this.#learned.get(model)
    if (configured === undefined || learned === undefined) return configured ?? learned ?? null
    return Math.min(configured, learned)
  }

  configured(model: string): number | undefined {
    const window = typeof this.#configured === 'function' ? this.#configured(model) : this.#configured
    check(window)
    return window
  }

  /** A request with this many tokens was too long. */
  learn(model: string, tokens: number): void {
    this.#learned.set(model, tokens)
  }
}

function check(window: unknown): void {
  if (window === undefined) return
  if (typeof window === 'number' && Number.isFinite(window) && window >= minWindow) return
  throw unexpectedOption('contextWindow', `a number of tokens, at least ${minWindow}`, window)
}
