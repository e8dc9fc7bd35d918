import { CurfewError } from '@curfew/core'
import type { ModelUsage } from '../models/model-error.ts'

/** What a model costs, in a currency of your choice per million tokens. */
export interface ModelPrice {
  readonly input: number
  readonly output: number
  /** @default the price of input */
  readonly cacheRead?: number | undefined
  /** @default the price of input */
  readonly cacheWrite?: number | undefined
}

export interface BudgetOptions {
  /** Tokens of requests and responses. */
  readonly tokens?: number | undefined
  /** Requires the price of every model that is used. */
  readonly money?: number | undefined
}

export interface UsageTotal {
  readonly requests: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheReadTokens: number
  /** `null` if the price of a model is unknown. */
  readonly money: number | null
}

/** Prices by `provider:model`. */
export type Prices = Readonly<Record<string, ModelPrice>>

/** Sums up what models use, for a turn or a conversation and everything inside of it. */
export class UsageMeter {
  readonly #name: string
  readonly #budget: BudgetOptions
  readonly #prices: Prices
  readonly #parent: UsageMeter | null
  #requests = 0
  #inputTokens = 0
  #outputTokens = 0
  #cacheReadTokens = 0
  #money: number | null = 0

  /** `name` is the option that sets the budget, for messages. */
  constructor(name: string, budget: BudgetOptions, prices: Prices, parent: UsageMeter | null = null) {
    this.#name = name
    this.#budget = budget
    this.#prices = prices
    this.#parent = parent
    for (const key of ['tokens', 'money'] as const) {
      const limit = budget[key]
      if (limit !== undefined && !(Number.isFinite(limit) && limit > 0))
        throw invalid(`${name}.${key}`, `expected a positive number, got ${String(limit)}`)
    }
  }

  /** Throws if there is a budget in money, and the price of this model is unknown. */
  assertPriced(model: string): void {
    if (this.#budget.money !== undefined && this.#prices[model] === undefined)
      throw invalid(
        `${this.#name}.money`,
        `the price of ${model} is unknown; set prices["${model}"], or a budget in tokens`,
      )
    this.#parent?.assertPriced(model)
  }

  add(model: string, usage: ModelUsage): void {
    const input = count(usage.inputTokens)
    const output = count(usage.outputTokens)
    const cacheRead = count(usage.cachedInputTokens)
    this.#requests++
    this.#inputTokens += input
    this.#outputTokens += output
    this.#cacheReadTokens += cacheRead
    const price = this.#prices[model]
    if (price === undefined) this.#money = null
    else if (this.#money !== null) {
      const cacheWrite = count(usage.cacheWriteTokens)
      const uncached = Math.max(0, input - cacheRead - cacheWrite)
      const { cacheRead: readPrice = price.input, cacheWrite: writePrice = price.input } = price
      this.#money +=
        (uncached * price.input + cacheRead * readPrice + cacheWrite * writePrice + output * price.output) /
        1e6
    }
    this.#parent?.add(model, usage)
  }

  total(): UsageTotal {
    return {
      requests: this.#requests,
      inputTokens: this.#inputTokens,
      outputTokens: this.#outputTokens,
      cacheReadTokens: this.#cacheReadTokens,
      money: this.#money,
    }
  }

  /** Why nothing more may be used, or `null`. */
  exceeded(): string | null {
    const { tokens, money } = this.#budget
    const used = this.#inputTokens + this.#outputTokens
    if (tokens !== undefined && used >= tokens)
      return `${used} of ${tokens} tokens are used (${this.#name}.tokens)`
    if (money !== undefined && this.#money !== null && this.#money >= money)
      return `${this.#money.toFixed(2)} of ${money} is spent (${this.#name}.money)`
    return this.#parent?.exceeded() ?? null
  }
}

/** Providers report what they like. */
function count(tokens: unknown): number {
  return typeof tokens === 'number' && Number.isFinite(tokens) && tokens > 0 ? tokens : 0
}

function invalid(field: string, problem: string): CurfewError {
  return new CurfewError('INVALID_OPTION', `${field}: ${problem}`, { field })
}
