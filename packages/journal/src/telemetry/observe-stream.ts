import type { ChatSpan } from './chat-span.ts'

/** A stream that nobody reads to its end, cancels or aborts would leave its span open. */
const abandoned = new FinalizationRegistry<ChatSpan>((span) => span.cancel())

/** The result of `doStream`, with a stream that reports its parts and its end. What is not a stream is left alone. */
export function observeStream<R extends object>(result: R, span: ChatSpan): R {
  const { stream } = result as { readonly stream?: ReadableStream<unknown> }
  if (typeof stream?.getReader !== 'function') {
    span.end()
    return result
  }
  const reader = stream.getReader()
  const observed = new ReadableStream<unknown>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (done) {
            span.end()
            controller.close()
          } else {
            span.onPart(value)
            controller.enqueue(value)
          }
        } catch (error) {
          span.fail(error)
          controller.error(error)
        }
      },
      cancel(reason) {
        span.cancel()
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
  abandoned.register(observed, span)
  return { ...result, stream: observed }
}
