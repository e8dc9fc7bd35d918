import { ChatSpan } from './chat-span.ts'
import { observeStream } from './observe-stream.ts'
import { Tracing } from './tracing.ts'

/** A language model of the AI SDK, of any version of its specification. */
export interface TracedModel {
  readonly specificationVersion: string
  readonly provider: string
  readonly modelId: string
  readonly supportedUrls: unknown
  doGenerate(options: never): PromiseLike<object>
  doStream(options: never): PromiseLike<object>
}

export interface TraceModelOptions {
  /**
   * Removes secrets from what the provider sends, such as the name of the model that answered: `runtime.redact`.
   * @default nothing is removed
   */
  readonly redact?: ((text: string) => string) | undefined
}

/**
 * The same model, with a span for every request. Prompts and responses are not recorded. Throws `INVALID_OPTION` if `@opentelemetry/api` is
 * not installed.
 */
export function traceModel<M extends TracedModel>(model: M, options: TraceModelOptions = {}): M {
  const tracing = new Tracing()
  const { redact = (text: string) => text } = options
  const start = (request: unknown, stream: boolean): ChatSpan | null =>
    tracing.safely(() => ChatSpan.start(tracing, { model, request, stream, redact }), null)
  const traced: TracedModel = {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: async (request) => {
      const span = start(request, false)
      if (span === null) return await model.doGenerate(request)
      try {
        const result = await span.run(() => model.doGenerate(request))
        span.onResult(result)
        return result
      } catch (error) {
        span.fail(error)
        throw error
      }
    },
    doStream: async (request) => {
      const span = start(request, true)
      if (span === null) return await model.doStream(request)
      try {
        const result = await span.run(() => model.doStream(request))
        return observeStream(result, span)
      } catch (error) {
        span.fail(error)
        throw error
      }
    },
  }
  return traced as M
}
