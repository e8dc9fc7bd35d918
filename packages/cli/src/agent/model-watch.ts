import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { nameOfModel, transportParts } from '@curfew/agent'
import { type Clock, systemClock } from '@curfew/core/internal'

/** A request that has been sent and is not complete. */
export interface OpenRequest {
  /** `provider:name`. */
  readonly model: string
  /** Whether the first token has arrived. */
  readonly hasBegun: boolean
  /** When it was sent or, once it has begun, when something last arrived; on the clock. The limits count from then. */
  readonly since: number
}

/** Observes the requests to models, to report how long they have been silent. */
export class ModelWatch {
  readonly #clock: Clock
  readonly #open = new Set<{ -readonly [K in keyof OpenRequest]: OpenRequest[K] }>()

  constructor(clock: Clock = systemClock) {
    this.#clock = clock
  }

  get open(): readonly OpenRequest[] {
    return [...this.#open]
  }

  /** The same model, observed. */
  wrap(model: LanguageModelV4): LanguageModelV4 {
    const name = nameOfModel(model)
    return {
      specificationVersion: model.specificationVersion,
      provider: model.provider,
      modelId: model.modelId,
      supportedUrls: model.supportedUrls,
      doGenerate: (options) => model.doGenerate(options),
      doStream: async (options) => {
        const request = { model: name, hasBegun: false, since: this.#clock.now() }
        const end = (): void => void this.#open.delete(request)
        this.#open.add(request)
        options.abortSignal?.addEventListener('abort', end, { once: true })
        try {
          const result = await model.doStream(options)
          const observed = new TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart>({
            transform: (part, controller) => {
              request.hasBegun ||= !transportParts.has(part.type)
              if (request.hasBegun) request.since = this.#clock.now()
              if (part.type === 'finish') end()
              controller.enqueue(part)
            },
            flush: end,
          })
          return { ...result, stream: result.stream.pipeThrough(observed) }
        } catch (error) {
          end()
          throw error
        }
      },
    }
  }
}
