import type { Attributes } from '@opentelemetry/api'
import * as names from './attributes.ts'
import { boundedName } from './bounded-text.ts'
import { errorTypeOf } from './error-type-of.ts'
import { providerOfModel } from './provider-of-model.ts'
import { readUsage } from './read-usage.ts'
import type { OpenSpan, Tracing } from './tracing.ts'

export interface ChatRequest {
  readonly model: { readonly provider: string; readonly modelId: string }
  /** What is passed to `doGenerate` or `doStream`. */
  readonly request: unknown
  readonly stream: boolean
  readonly redact: (text: string) => string
}

/** These parts say nothing about the response. */
const transportParts: ReadonlySet<unknown> = new Set(['stream-start', 'response-metadata', 'ping', 'raw'])

/** The span of one request to a model. It ends once, with the first of: finish, end, error, cancel, abort. */
export class ChatSpan {
  readonly #tracing: Tracing
  readonly #open: OpenSpan
  readonly #redact: ChatRequest['redact']
  readonly #signal: AbortSignal | null
  /** Of the span and of the metric. */
  readonly #common: Attributes
  readonly #attributes: Attributes = {}
  #hasBegun = false
  #ended = false

  static start(tracing: Tracing, chat: ChatRequest): ChatSpan | null {
    const { provider, modelId } = chat.model
    const common = {
      [names.operationName]: names.operations.chat,
      [names.providerName]: boundedName(providerOfModel(provider)),
      [names.requestModel]: boundedName(modelId),
    }
    const { active } = tracing
    const conversation = tracing.conversationOf(active)
    const open = tracing.start({
      name: `${names.operations.chat} ${boundedName(modelId)}`,
      kind: tracing.api.SpanKind.CLIENT,
      parent: active,
      attributes: {
        ...common,
        ...(conversation !== null && { [names.conversationId]: boundedName(conversation) }),
        ...(chat.stream && { [names.requestStream]: true }),
        ...settingsOf(chat.request),
      },
    })
    return open === null ? null : new ChatSpan(tracing, open, chat, common)
  }

  private constructor(
    tracing: Tracing,
    open: OpenSpan,
    { request, redact }: ChatRequest,
    common: Attributes,
  ) {
    const { abortSignal } = Object(request) as { readonly abortSignal?: unknown }
    this.#tracing = tracing
    this.#open = open
    this.#redact = redact
    this.#common = common
    this.#signal = abortSignal instanceof AbortSignal ? abortSignal : null
    this.#signal?.addEventListener('abort', this.#onAbort, { once: true })
  }

  /** Runs the request with the span as the active one. */
  async run<T>(send: () => PromiseLike<T>): Promise<T> {
    return await this.#tracing.runIn(this.#open.context, send)
  }

  onPart(part: unknown): void {
    if (this.#ended) return
    this.#tracing.safely(() => this.#read(Object(part) as Record<string, unknown>))
  }

  #read(part: Record<string, unknown>): void {
    const { type } = part
    if (!this.#hasBegun && !transportParts.has(type)) {
      this.#hasBegun = true
      this.#attributes[names.timeToFirstChunk] = (performance.now() - this.#open.startedAt) / 1_000
    }
    if (type === 'response-metadata') this.#onResponse(part)
    else if (type === 'error') this.fail(part.error)
    else if (type === 'finish') {
      this.#onFinish(part)
      this.end()
    }
  }

  /** Of `doGenerate`. */
  onResult(result: unknown): void {
    this.#tracing.safely(() => {
      const fields = Object(result) as Record<string, unknown>
      this.#onResponse(Object(fields.response) as Record<string, unknown>)
      this.#onFinish(fields)
    })
    this.end()
  }

  /** These are names that the server chooses. */
  #onResponse({ id, modelId }: Record<string, unknown>): void {
    if (typeof id === 'string') this.#attributes[names.responseId] = this.#name(id)
    if (typeof modelId === 'string') this.#attributes[names.responseModel] = this.#name(modelId)
  }

  #onFinish({ finishReason, usage }: Record<string, unknown>): void {
    const { unified } = Object(finishReason) as { readonly unified?: unknown }
    const reason = typeof finishReason === 'string' ? finishReason : unified
    if (typeof reason === 'string') this.#attributes[names.finishReasons] = [this.#name(reason)]
    Object.assign(this.#attributes, readUsage(usage))
  }

  #name(text: string): string {
    return boundedName(this.#redact(text))
  }

  end(): void {
    this.#finish(null)
  }

  fail(error: unknown): void {
    this.#finish(errorTypeOf(error))
  }

  /** Nobody reads the rest of the response. */
  cancel(): void {
    this.#finish('AbortError')
  }

  readonly #onAbort = (): void => this.fail(this.#signal?.reason)

  #finish(error: string | null): void {
    if (this.#ended) return
    this.#ended = true
    this.#signal?.removeEventListener('abort', this.#onAbort)
    const model = this.#attributes[names.responseModel]
    this.#tracing.record('chat', this.#open, {
      ...this.#common,
      ...(model !== undefined && { [names.responseModel]: model }),
      ...(error !== null && { [names.errorType]: error }),
    })
    this.#tracing.end(this.#open, this.#attributes, error)
  }
}

/** The settings of a request that the conventions name. */
function settingsOf(request: unknown): Attributes {
  const options = Object(request) as Record<string, unknown>
  const settings: Attributes = {}
  const add = (name: string, value: unknown): void => {
    if (typeof value === 'number') settings[name] = value
  }
  add(names.requestMaxTokens, options.maxOutputTokens)
  add(names.requestTemperature, options.temperature)
  add(names.requestTopP, options.topP)
  add(names.requestTopK, options.topK)
  return settings
}
