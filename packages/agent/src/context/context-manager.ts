import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { Conversation } from '@curfew/core'
import { capText } from '@curfew/core/internal'
import type { History } from '../history/history.ts'
import type { HistoryItem, UserPart } from '../history/history-item.ts'
import { ModelError, type ModelErrorKind, type ModelUsage } from '../models/model-error.ts'
import { nameOfModel } from '../models/name-of-model.ts'
import type { ModelRequest } from '../models/stream-model.ts'
import { chooseView } from './choose-view.ts'
import { type ContextNotice, type ContextUsage, contextNotice, type Reduction } from './context-notice.ts'
import { ContextSize } from './context-size.ts'
import type { ContextWindows } from './context-windows.ts'
import { estimateItem, estimateItems } from './estimate-tokens.ts'
import { maxOutput } from './max-output.ts'
import { balancedCut, findRecentPart, type RecentPart } from './recent-part.ts'
import { type BuiltRequest, RequestBuilder } from './request-builder.ts'
import { createResultSaver } from './result-saver.ts'
import { shortenResults } from './shorten-results.ts'
import { type RequestScope, summarize } from './summarize.ts'
import { unloadRemoved } from './unload-removed.ts'

export interface ContextOptions {
  readonly conversation: Conversation
  readonly history: History
  readonly windows: ContextWindows
  /** Somebody chose how the tools are listed. */
  readonly isViewChosen: boolean
  redact(text: string): string
  /** Called after the history or what is known about its size has changed. */
  onChange(usage: ContextUsage): void
}

/** A scope in which the history may be reduced. */
export interface ReductionScope extends RequestScope {
  /** Whether a budget allows a request for a summary. */
  canSpend(): boolean
  onNotice(notice: ContextNotice): void
}

/** The history is reduced before a request that would use more than this share of the window; the rest is for the response. */
const maxShare = 0.8
/** Down to this share of what is available, in one large step: every change invalidates the provider's prompt cache. */
const targetShare = 0.6
/** A request that certainly fits, besides its response. */
const fullShare = 0.95
/** Less than this share of the window is not worth a request for a summary, which would be repeated soon. */
const minOldShare = 0.05
/** Of a summary, as a share of the window. */
const summaryShare = 0.1
const defaultSummaryTokens = 8_000
const charactersPerToken = 4

/** Keeps the requests of a conversation within the context window of its model. */
export class ContextManager {
  readonly #options: ContextOptions
  readonly #builder: RequestBuilder
  readonly #size = new ContextSize()
  #hasView: boolean
  #model: LanguageModelV4

  constructor(options: ContextOptions, model: LanguageModelV4) {
    this.#options = options
    this.#builder = new RequestBuilder(options.conversation)
    this.#hasView = options.isViewChosen
    this.#model = model
  }

  /** Later requests begin with this prompt. */
  setSystem(system: string): void {
    this.#builder.setSystem(system)
  }

  /** Another model may have another window. */
  useModel(model: LanguageModelV4): void {
    this.#model = model
    this.#options.onChange(this.usage())
  }

  /** The next request of the conversation. */
  build(model: LanguageModelV4, toolChoice: 'auto' | 'none'): BuiltRequest {
    this.#begin(model)
    return this.#build(this.#items, toolChoice)
  }

  /** The tokens of the last response, whose parts are in the history. */
  received({ inputTokens, outputTokens }: ModelUsage): void {
    const reported = inputTokens === null ? null : inputTokens + (outputTokens ?? 0)
    this.#size.received(reported, this.#items, this.#builder.fixedTokens())
    this.#options.onChange(this.usage())
  }

  usage(): ContextUsage {
    const window = this.#window
    const tokens = this.#tokens
    return { tokens, window, share: window === null ? null : tokens / window }
  }

  /** Reduces the history if the next request would be too long for the model. */
  async makeRoom(scope: ReductionScope): Promise<void> {
    this.#begin(scope.model)
    const window = this.#window
    if (window !== null && this.#tokens > window * maxShare) await this.#reduce(scope, window)
  }

  /** The provider rejected a request as too long. Resolves to false if nothing could be removed. */
  async onOverflow(scope: ReductionScope): Promise<boolean> {
    const known = this.#window
    const window = Math.min(known ?? Number.POSITIVE_INFINITY, this.#tokens)
    // Otherwise something else was too large, such as the bytes of an image.
    if (known === null || window > known / 2) this.#options.windows.learn(nameOfModel(scope.model), window)
    return await this.#reduce(scope, window)
  }

  /** For the message of a failure. */
  describeWindow(): string {
    const window = this.#options.windows.configured(nameOfModel(this.#model))
    const used = `the request has about ${this.#tokens} tokens`
    return window === undefined
      ? `${used}; set contextWindow, so that it is shortened in time`
      : `${used}, and the context window is ${window} (contextWindow)`
  }

  /** Replaces everything before the recent part with a summary. Throws a `ModelError` if the model returns none. */
  async compact(scope: ReductionScope, instructions: string): Promise<ContextNotice | null> {
    this.#begin(scope.model)
    const before = this.#items
    const tokensBefore = this.#tokens
    const recent = findRecentPart(before)
    if (!hasOldItems(before, recent)) return null
    const removed = await this.#summarize(scope, recent, instructions)
    return this.#finish(before, tokensBefore, { shortenedResults: 0, ...removed })
  }

  /** Removes all items after this one; 0 removes all. Returns whether there were any. */
  rewind(position: number): boolean {
    const before = this.#items
    if (!this.#options.history.rewind(position)) return false
    unloadRemoved(this.#options.conversation, before, this.#items)
    this.#options.onChange(this.usage())
    return true
  }

  /** Returns whether anything was done. */
  async #reduce(scope: ReductionScope, window: number): Promise<boolean> {
    const before = this.#items
    const tokensBefore = this.#tokens
    const limit = window * maxShare
    const fixed = this.#builder.fixedTokens()
    // The system prompt and the tools are too long, and nothing in the history could change that.
    if (fixed >= limit) return false
    const target = fixed + (limit - fixed) * targetShare
    let shortenedResults = await this.#shorten(findRecentPart(before).start, target, scope)
    let removed = noRemoval
    // What is left would soon be too long again.
    if (this.#tokens > (target + limit) / 2) removed = await this.#summarizeOrDrop(scope, window, target)
    // The recent part alone is too long.
    if (this.#tokens > limit) shortenedResults += await this.#shorten(this.#items.length, target, scope)
    const notice = this.#finish(before, tokensBefore, { shortenedResults, ...removed })
    if (notice !== null) scope.onNotice(notice)
    return notice !== null
  }

  #finish(before: readonly HistoryItem[], tokensBefore: number, reduction: Reduction): ContextNotice | null {
    unloadRemoved(this.#options.conversation, before, this.#items)
    const usage = this.usage()
    this.#options.onChange(usage)
    return contextNotice(reduction, tokensBefore, usage)
  }

  /** Shortens results before a place. Returns their number. */
  async #shorten(end: number, target: number, scope: RequestScope): Promise<number> {
    const { conversation, history } = this.#options
    const items = this.#items.slice(0, end)
    const saver = createResultSaver(conversation, scope)
    const changed = await shortenResults(items, this.#tokens - target, saver.save)
    saver.close()
    // What was not saved is kept.
    if (scope.signal.aborted) return 0
    history.replace(changed)
    const known = new Set(items.flatMap((item) => (item.type === 'results' ? item.results : [])))
    return changed.flatMap(({ results }) => results).filter((result) => !known.has(result)).length
  }

  async #summarizeOrDrop(scope: ReductionScope, window: number, target: number): Promise<Removed> {
    const items = this.#items
    const recent = findRecentPart(items)
    if (!hasOldItems(items, recent) || scope.signal.aborted) return noRemoval
    const isLittle = estimateItems(oldItems(items, recent)) < window * minOldShare
    if (isLittle) return this.#tokens > window * fullShare ? this.#drop(recent, target) : noRemoval
    const fits = this.#tokens - estimateItems(items.slice(recent.start)) < window * fullShare
    if (fits && scope.canSpend()) {
      try {
        return await this.#summarize(scope, recent, '')
      } catch (error) {
        if (!(error instanceof ModelError)) throw error
        if (scope.signal.aborted) return noRemoval
        // The request itself will fail, too, or succeed without a reduction.
        if (unavailable.has(error.kind) && this.#tokens < window * fullShare) return noRemoval
      }
    }
    return this.#drop(recent, target)
  }

  async #summarize(
    scope: RequestScope,
    { start, prompt }: RecentPart,
    instructions: string,
  ): Promise<Removed> {
    const build = (items: readonly HistoryItem[]): ModelRequest => this.#build(items, 'none').request
    const summary = await summarize(this.#items.slice(0, start), instructions, build, scope)
    this.#remove(start, prompt, this.#summaryText(summary))
    return { removedItems: removedCount(start, prompt), isSummarized: true }
  }

  /** Removes as many of the oldest items as necessary. */
  #drop({ start, prompt }: RecentPart, target: number): Removed {
    const items = this.#items
    let excess = this.#tokens - target
    let end = 0
    for (; end < start && excess > 0; end++) {
      const item = items[end]!
      // They are kept.
      if (item !== prompt && !isSummary(item)) excess -= estimateItem(item)
    }
    // To the right, because what is to the left is not enough.
    while (end < start && balancedCut(items, end) !== end) end++
    const kept = prompt !== null && items.indexOf(prompt) < end ? prompt : null
    const summary = items.slice(0, end).find(isSummary)
    this.#remove(end, kept, [
      { type: 'text', text: dropNote },
      ...(summary?.type === 'user'
        ? summary.parts.filter((part) => part.type !== 'text' || part.text !== dropNote)
        : []),
    ])
    return { removedItems: removedCount(end, kept), isSummarized: false }
  }

  #remove(end: number, prompt: HistoryItem | null, parts: readonly UserPart[]): void {
    this.#options.history.summarize(end, parts, prompt === null ? [] : [prompt])
  }

  #summaryText(summary: string): UserPart[] {
    const tokens = this.#window === null ? defaultSummaryTokens : this.#window * summaryShare
    const text = capText(this.#options.redact(summary), Math.ceil(tokens * charactersPerToken))
    return [
      { type: 'text', text: `Summary of the conversation so far, whose messages were removed:\n\n${text}` },
    ]
  }

  #build(items: readonly HistoryItem[], toolChoice: 'auto' | 'none'): BuiltRequest {
    const { request, names } = this.#builder.build(this.#model, items, toolChoice)
    const window = this.#window
    const maxOutputTokens = window === null ? null : maxOutput(this.#model, this.#tokens, window)
    return { request: maxOutputTokens === null ? request : { ...request, maxOutputTokens }, names }
  }

  /** Once, when the tools are about to be listed for the first time. */
  #begin(model: LanguageModelV4): void {
    this.#model = model
    if (this.#hasView) return
    this.#hasView = true
    chooseView(this.#options.conversation, this.#window)
  }

  get #items(): readonly HistoryItem[] {
    return this.#options.history.items
  }

  get #tokens(): number {
    return this.#size.tokens(this.#items, this.#builder.fixedTokens())
  }

  get #window(): number | null {
    return this.#options.windows.of(nameOfModel(this.#model))
  }
}

/** Failures that have nothing to do with the summary. */
const unavailable: ReadonlySet<ModelErrorKind> = new Set([
  'auth',
  'rate-limit',
  'quota',
  'overloaded',
  'connection',
])

const dropNote = '[The oldest messages were removed, because they did not fit into the context window.]'

type Removed = Pick<Reduction, 'removedItems' | 'isSummarized'>

const noRemoval: Removed = { removedItems: 0, isSummarized: false }

function removedCount(end: number, kept: HistoryItem | null): number {
  return kept === null ? end : end - 1
}

/** Besides the prompt and an earlier summary: a summary of a summary would be repeated before every request. */
function hasOldItems(items: readonly HistoryItem[], recent: RecentPart): boolean {
  return oldItems(items, recent).some((item) => !isSummary(item))
}

function isSummary(item: HistoryItem): boolean {
  return item.type === 'user' && item.source === 'summary'
}

function oldItems(items: readonly HistoryItem[], { start, prompt }: RecentPart): HistoryItem[] {
  return items.slice(0, start).filter((item) => item !== prompt)
}
