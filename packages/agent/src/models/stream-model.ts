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
import { transportParts } from './transport-parts.ts'

export type ModelRequest = Omit<LanguageModelV4CallOptions, 'abortSignal' | 'includeRawChunks'>

export interface StreamModelOptions {
  readonly limits?: ModelLimits | undefined
  readonly signal?: AbortSignal | undefined
  readonly clock?: Clock | undefined
  /** From 0 to 1, for the delays between attempts. @default Math.random */
  readonly random?: (() => number) | undefined
  /** Removes known secrets from errors before they are shortened. By default, only what looks like a key is removed. */
  readonly redact?: ((text: string) => string) | undefined
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
  const { clock = systemClock, random = Math.random, signal, redact } = options
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
        const received = await open(model, withPings(model, request), response, guard)
        try {
          for (let event = await received.next(); event !== null; event = await received.next()) {
            hasYielded = true
            yield event
          }
        } finally {
          received.close()
        }
        yield finish(name, response)
        return
      } catch (error) {
        failed = toFailure(error, name, clock, redact)
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

/** The number of parts after which timers get a turn. */
const partsPerTurn = 256

/** Begins an attempt. */
async function open(
  model: LanguageModelV4,
  request: ModelRequest,
  response: ModelResponse,
  guard: RequestGuard,
): Promise<ReceivedResponse> {
  const opening = openReader(model, { ...request, abortSignal: guard.beginAttempt() })
  try {
    return new ReceivedResponse(await guard.wait(opening), response, guard)
  } catch (error) {
    // A stream that arrives after all is not left open.
    opening.then(release, () => {})
    guard.endAttempt(false)
    throw error
  }
}

/** The response of one attempt. Not a generator inside the other, which would take 15 % more time per delta. */
class ReceivedResponse {
  readonly #reader: Reader
  readonly #response: ModelResponse
  readonly #guard: RequestGuard
  #count = 0
  #hasBegun = false
  #isComplete = false

  constructor(reader: Reader, response: ModelResponse, guard: RequestGuard) {
    this.#reader = reader
    this.#response = response
    this.#guard = guard
  }

  /** `null` at the end. */
  async next(): Promise<ContentEvent | null> {
    const guard = this.#guard
    const response = this.#response
    while (response.finishReason === null) {
      const { done, value } = await guard.wait(this.#reader.read())
      if (done === true) {
        this.#isComplete = true
        return null
      }
      if (++this.#count % partsPerTurn === 0) await guard.yieldToEvents()
      if (typeof value !== 'object' || value === null) continue
      if (value.type === 'error') throw value.error
      if (!this.#hasBegun && !transportParts.has(value.type)) {
        this.#hasBegun = true
        guard.beginIdleLimit()
      }
      const event = response.add(value)
      if (event !== null) return event
    }
    this.#isComplete = await endsSoon(this.#reader, guard)
    return null
  }

  close(): void {
    this.#guard.endAttempt(this.#isComplete)
    if (!this.#isComplete) release(this.#reader)
  }
}

type Reader = ReadableStreamDefaultReader<Readonly<Record<string, unknown>>>

/** Asynchronous, so that a provider that throws immediately is no different from one that rejects. */
async function openReader(model: LanguageModelV4, options: LanguageModelV4CallOptions): Promise<Reader> {
  const result = (await model.doStream(options)) as { readonly stream?: { getReader?(): Reader } } | undefined
  const reader = result?.stream?.getReader?.()
  if (reader !== undefined) return reader
  const problem = `expected a stream from the provider, got ${typeof result?.stream}`
  throw new ModelError(failure('invalid-response', nameOfModel(model), problem))
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
      failure('connection', model, 'the stream ended before the response was complete', true),
    )
  const { unified, raw } = finishReason
  const reason = raw === null ? '' : ` (${raw})`
  if (unified === 'content-filter')
    throw new ModelError(
      failure('content-filter', model, `the response was blocked by a content filter${reason}`),
    )
  if (unified === 'error')
    throw new ModelError(failure('malformed', model, `the model produced an unusable response${reason}`))
  return { type: 'finish', finishReason: unified, usage, parts: response.parts() }
}

function toFailure(
  error: unknown,
  model: string,
  clock: Clock,
  redact: StreamModelOptions['redact'],
): ModelFailure {
  const { kind, message, problem, status, retryAfterMs, retryable } =
    error instanceof ModelError ? error : classifyError(error, model, clock.wallTime(), redact)
  return { kind, message, problem, status, retryAfterMs, retryable }
}

function withAttempts(failed: ModelFailure, attempts: number): ModelFailure {
  if (attempts === 1) return failed
  const suffix = ` (after ${attempts} attempts)`
  return { ...failed, message: failed.message + suffix, problem: failed.problem + suffix }
}

/** Anthropic sends nothing else while it prepares a long input of a call; without these, the idle limit would end the request. */
function withPings(model: LanguageModelV4, request: ModelRequest): ModelRequest {
  if (wireFormatOf(model) !== 'anthropic') return request
  const { providerOptions } = request
  const anthropic = { includePings: true, ...providerOptions?.anthropic }
  return { ...request, providerOptions: { ...providerOptions, anthropic } }
}
