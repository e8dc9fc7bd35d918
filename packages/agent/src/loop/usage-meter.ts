import { invalidOption } from '@curfew/core/internal'
import { minShare } from '../context/estimate-tokens.ts'
import type { UsageEstimate } from '../context/summarize.ts'
import type { ModelUsage } from '../models/model-error.ts'
import type { SessionUsage } from '../sessions/session-record.ts'

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

/** Sums up what models use, for a turn or a conversation and everything inside it. */
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
        throw invalidOption(`${name}.${key}`, `expected a positive number, got ${String(limit)}`)
    }
  }

  /** Starts with what a resumed conversation has used before. */
  restore(usage: SessionUsage): void {
    this.#requests = count(usage.requests)
    this.#inputTokens = count(usage.inputTokens)
    this.#outputTokens = count(usage.outputTokens)
    this.#cacheReadTokens = count(usage.cacheReadTokens)
    this.#money = usage.money === null ? null : count(usage.money)
    if (this.#money === null && this.#budget.money !== undefined)
      throw invalidOption(
        `${this.#name}.money`,
        'what this conversation has cost so far is unknown, because a model had no price; set a budget in tokens, or start a new conversation',
      )
  }

  /** Throws if this meter or one above it has a budget in money, and the price of this model is unknown. */
  assertPriced(model: string): void {
    const limited = this.#moneyBudget()
    if (limited === null || this.#priceOf(model) !== undefined) return
    throw invalidOption(
      `${limited}.money`,
      `the price of ${model} is unknown; set prices["${model}"], or a budget in tokens`,
    )
  }

  add(model: string, usage: ModelUsage): void {
    this.#add(usage, this.#priceOf(model))
  }

  #add(usage: ModelUsage, price: ModelPrice | undefined): void {
    const input = count(usage.inputTokens)
    const output = count(usage.outputTokens)
    const cacheRead = count(usage.cachedInputTokens)
    this.#requests++
    this.#inputTokens += input
    this.#outputTokens += output
    this.#cacheReadTokens += cacheRead
    if (price === undefined) this.#money = null
    else if (this.#money !== null) {
      const cacheWrite = count(usage.cacheWriteTokens)
      const uncached = Math.max(0, input - cacheRead - cacheWrite)
      const { cacheRead: readPrice = price.input, cacheWrite: writePrice = price.input } = price
      this.#money +=
        (uncached * price.input + cacheRead * readPrice + cacheWrite * writePrice + output * price.output) /
        1e6
    }
    if (this.#parent !== null) this.#parent.#add(usage, price)
  }

  /** An agent inside another one need not repeat its prices. */
  #priceOf(model: string): ModelPrice | undefined {
    if (Object.hasOwn(this.#prices, model)) return this.#prices[model]
    return this.#parent === null ? undefined : this.#parent.#priceOf(model)
  }

  /** The name of the first budget in money. */
  #moneyBudget(): string | null {
    if (this.#budget.money !== undefined) return this.#name
    return this.#parent === null ? null : this.#parent.#moneyBudget()
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

/** Counts that are missing or cannot be true are estimated, so that a budget has an effect. */
export function withEstimate(
  usage: ModelUsage | null,
  { input, minInput, output }: UsageEstimate,
): ModelUsage {
  const believed = (reported: number | null | undefined, min: number, estimate: number): number =>
    reported == null || reported < min ? estimate : reported
  return {
    cachedInputTokens: null,
    cacheWriteTokens: null,
    reasoningTokens: null,
    ...usage,
    inputTokens: believed(usage?.inputTokens, minInput, input),
    outputTokens: believed(usage?.outputTokens, output * minShare, output),
  }
}

/** Providers report what they like. */
function count(tokens: unknown): number {
  return typeof tokens === 'number' && Number.isFinite(tokens) && tokens > 0 ? tokens : 0
}

/** Throws if a price is not a number, which would make a budget in money unlimited. */
export function checkPrices(prices: Prices): void {
  for (const [model, price] of Object.entries(prices)) {
    for (const key of ['input', 'output', 'cacheRead', 'cacheWrite'] as const) {
      const value = price?.[key]
      const isOptional = key === 'cacheRead' || key === 'cacheWrite'
      if ((isOptional && value === undefined) || (Number.isFinite(value) && value! >= 0)) continue
      throw invalidOption(`prices["${model}"].${key}`, `expected a number from 0, got ${String(value)}`)
    }
  }
}
