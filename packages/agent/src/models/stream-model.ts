import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { type Clock, systemClock } from '@curfew/core/internal'
import type { AssistantPart } from '../history/history-item.ts'
import { classifyError } from './classify-error.ts'
import { failure, ModelError, type ModelFailure, type ModelUsage } from './model-error.ts'
import { type ModelLimits, resolveModelLimits } from './model-limits.ts'
import { type ContentEvent, type FinishReason, ModelResponse } from './model-response.ts'
import { nameOfModel, wireFormatOf } from './name-of-model.ts'
import { RequestGuard } from './request-guard.ts'
import { retryDelay } from './retry-delay.ts'

export type ModelRequest = Omit<LanguageModelV4CallOptions, 'abortSignal' | 'includeRawChunks'>

export interface StreamModelOptions {
  readonly limits?: ModelLimits | undefined
  readonly signal?: AbortSignal | undefined
  readonly clock?: Clock | undefined
  /** From 0 to 1, for the delays between attempts. @default Math.random */
  readonly random?: (() => number) | undefined
}

export type ModelEvent =
  | ContentEvent
  /** An attempt failed before anything was received; the next one starts after `delayMs`. `attempt` counts from 1. */
  | {
      readonly type: 'retry'
      readonly cause: ModelFailure
      readonly attempt: number
      readonly maxAttempts: number
      readonly delayMs: number
    }
  | {
      readonly type: 'finish'
      readonly finishReason: FinishReason
      readonly usage: ModelUsage
      /** The complete response, in order. */
      readonly parts: readonly AssistantPart[]
    }

/**
 * Sends one request to a model and yields its response. It ends at its limits and when it is aborted, whatever the provider does, and
 * sends a request again only if nothing was yielded. Everything that goes wrong is a `ModelError`.
 */
export async function* streamModel(
  model: LanguageModelV4,
  request: ModelRequest,
  options: StreamModelOptions = {},
): AsyncGenerator<ModelEvent, void, void> {
  const { clock = systemClock, random = Math.random, signal } = options
  const limits = resolveModelLimits(options.limits)
  const name = nameOfModel(model)
  const guard = new RequestGuard(clock, limits, name, signal)
  let waitedMs = 0
  try {
    for (let attempt = 1; ; attempt++) {
      const response = new ModelResponse(name, limits)
      let hasYielded = false
      let failed: ModelFailure
      try {
        for await (const event of receive(model, withPings(model, request), response, guard)) {
          hasYielded = true
          yield event
        }
        yield finish(name, response)
        return
      } catch (error) {
        failed = toFailure(error, name, clock)
      }
      const delayMs = hasYielded ? null : retryDelay(failed, attempt, waitedMs, limits, random)
      if (delayMs === null || delayMs >= guard.remainingMs)
        throw new ModelError(withAttempts(failed, attempt), response.parts(), response.usage)
      const { maxAttempts } = limits
      yield { type: 'retry', cause: failed, attempt, maxAttempts, delayMs }
      await guard.sleep(delayMs)
      waitedMs += delayMs
    }
  } finally {
    guard.close()
  }
}

/** Parts that say nothing about the response. */
const transportParts: ReadonlySet<unknown> = new Set(['stream-start', 'response-metadata', 'ping', 'raw'])
/** So many parts may arrive before timers get their turn. */
const partsPerTurn = 256

/** One attempt. */
async function* receive(
  model: LanguageModelV4,
  request: ModelRequest,
  response: ModelResponse,
  guard: RequestGuard,
): AsyncGenerator<ContentEvent, void, void> {
  const reader = await open(model, { ...request, abortSignal: guard.beginAttempt() }, guard)
  let hasBegun = false
  let isComplete = false
  try {
    for (let count = 1; ; count++) {
      const { done, value } = await guard.wait(reader.read())
      if (done === true) {
        isComplete = true
        return
      }
      if (count % partsPerTurn === 0) await guard.yieldToEvents()
      if (typeof value !== 'object' || value === null) continue
      if (value.type === 'error') throw value.error
      if (!hasBegun && !transportParts.has(value.type)) {
        hasBegun = true
        guard.beginIdleLimit()
      }
      const event = response.add(value)
      if (event !== null) yield event
      if (response.finishReason !== null) {
        isComplete = await endsSoon(reader, guard)
        return
      }
    }
  } finally {
    guard.endAttempt(isComplete)
    if (!isComplete) release(reader)
  }
}

type Reader = ReadableStreamDefaultReader<Readonly<Record<string, unknown>>>

async function open(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
  guard: RequestGuard,
): Promise<Reader> {
  const opening = openReader(model, options)
  try {
    return await guard.wait(opening)
  } catch (error) {
    // A stream that arrives after all is not left open.
    opening.then(release, () => {})
    guard.endAttempt(false)
    throw error
  }
}

/** Asynchronous, so that a provider that throws immediately is no different from one that rejects. */
async function openReader(model: LanguageModelV4, options: LanguageModelV4CallOptions): Promise<Reader> {
  const result = (await model.doStream(options)) as { readonly stream?: { getReader?(): Reader } } | undefined
  const reader = result?.stream?.getReader?.()
  if (reader !== undefined) return reader
  const message = `${nameOfModel(model)}: expected a stream from the provider, got ${typeof result?.stream}`
  throw new ModelError(failure('invalid-response', message))
}

const graceMs = 250
const maxPartsAfterFinish = 16

/** Whether the stream ends by itself after the response. Its connection can then be used again. */
async function endsSoon(reader: Reader, guard: RequestGuard): Promise<boolean> {
  try {
    for (let count = 0; count < maxPartsAfterFinish; count++) {
      const read = await guard.waitAtMost(reader.read(), graceMs)
      if (read === null) return false
      if (read.done) return true
    }
  } catch {
    // The response is complete, so an error or an abort no longer matters.
  }
  return false
}

/** Does not wait: a provider may never finish its cancellation. */
function release(reader: Reader): void {
  try {
    reader.cancel().catch(() => {})
  } catch {
    // Not a stream of the platform; the provider has been told through the signal.
  }
}

function finish(model: string, response: ModelResponse): ModelEvent {
  const { finishReason, usage } = response
  if (finishReason === null || finishReason.unified === 'interrupted' || usage === null)
    throw new ModelError(
      failure('connection', `${model}: the stream ended before the response was complete`, true),
    )
  const { unified, raw } = finishReason
  const reason = raw === null ? '' : ` (${raw})`
  if (unified === 'content-filter')
    throw new ModelError(
      failure('content-filter', `${model}: the response was blocked by a content filter${reason}`),
    )
  if (unified === 'error')
    throw new ModelError(failure('malformed', `${model}: the model produced an unusable response${reason}`))
  return { type: 'finish', finishReason: unified, usage, parts: response.parts() }
}

function toFailure(error: unknown, model: string, clock: Clock): ModelFailure {
  const { kind, message, status, retryAfterMs, retryable } =
    error instanceof ModelError ? error : classifyError(error, model, clock.wallTime())
  return { kind, message, status, retryAfterMs, retryable }
}

function withAttempts(failed: ModelFailure, attempts: number): ModelFailure {
  return attempts === 1 ? failed : { ...failed, message: `${failed.message} (after ${attempts} attempts)` }
}

/** Anthropic sends nothing else while it prepares a long input of a call; without these, the idle limit would end the request. */
function withPings(model: LanguageModelV4, request: ModelRequest): ModelRequest {
  if (wireFormatOf(model) !== 'anthropic') return request
  const { providerOptions } = request
  const anthropic = { includePings: true, ...providerOptions?.anthropic }
  return { ...request, providerOptions: { ...providerOptions, anthropic } }
}
