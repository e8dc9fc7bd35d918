import { networkFetch } from '@curfew/extensions/internal'

/** More than any response: the longest ones have about 25 MB. */
const maxResponseBytes = 64 * 1024 * 1024
/** The rest of a longer error is not read. */
const maxErrorBytes = 256 * 1024

type Fetch = typeof globalThis.fetch

/**
 * A `fetch` for a provider's package that sends requests, and so the key, only to one server: redirects are not followed. What it
 * receives is bounded. Times are bounded by the caller's signal.
 */
export function boundedFetch(baseUrl: string): Fetch {
  const { origin } = new URL(baseUrl)
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    if (url.origin !== origin) throw new Error(`expected a request to ${origin}, got one to ${url.origin}`)
    const request = { ...init, headers: withoutEmptyKeys(init?.headers), redirect: 'manual' } as const
    const response = await networkFetch(url, request)
    const { status, statusText, headers, body } = response
    if (status >= 300 && status < 400) {
      body?.cancel().catch(() => {})
      throw new Error(redirectMessage(status, headers.get('location'), url.href))
    }
    if (body === null) return response
    return new Response(bounded(body, response.ok), { status, statusText, headers: [...headers] })
  }
}

/** Providers' packages require a key, but a server without one may reject an empty header. */
function withoutEmptyKeys(headers: ConstructorParameters<typeof Headers>[0]): Record<string, string> {
  const kept = new Headers(headers)
  for (const name of ['x-api-key', 'x-goog-api-key']) if (kept.get(name) === '') kept.delete(name)
  return Object.fromEntries(kept)
}

function redirectMessage(status: number, location: string | null, from: string): string {
  const target = location === null ? null : URL.parse(location, from)
  const where = target === null ? '' : ` to ${target.origin}${target.pathname}`
  return `the server redirects${where} (HTTP ${status}), which is not followed, because your prompt and key would be sent there; if it is right, change the base URL`
}

function bounded(body: ReadableStream<Uint8Array>, isSuccess: boolean): ReadableStream<Uint8Array> {
  let received = 0
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        received += chunk.byteLength
        if (received <= (isSuccess ? maxResponseBytes : maxErrorBytes)) controller.enqueue(chunk)
        else if (isSuccess) controller.error(new Error(`the response exceeds ${maxResponseBytes} bytes`))
        else controller.terminate()
      },
    }),
  )
}
