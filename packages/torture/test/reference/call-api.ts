import type { ApiSetup } from '../../src/adapter/adapter.ts'
import { isMutant } from './mutation.ts'
import { failure, type Outcome, success } from './outcome.ts'
import { type Limits, withLimit } from './with-limit.ts'

const maxRedirects = 5
const maxBytes = 1_000_000
const maxError = 2_000

/** Gets the response of an API, all of it within the limit. */
export function callApi({ url }: ApiSetup, limits: Limits): Promise<Outcome> {
  const limitMs = isMutant('apis-have-no-limit') ? 1_000_000 : limits.limitMs
  return withLimit({ ...limits, limitMs }, async (signal, clock) => {
    try {
      const response = await follow(url, signal)
      if (isMutant('api-limit-ends-with-headers')) clock.stop()
      const text = isMutant('api-bodies-are-unbounded')
        ? Buffer.from(await response.arrayBuffer()).toString()
        : await readBody(response)
      if (isMutant('parses-api-responses')) JSON.parse(text)
      if (response.ok || isMutant('ignores-the-status')) return success(text)
      return failure(`HTTP ${response.status} ${response.statusText}: ${text.slice(0, maxError)}`)
    } catch (error) {
      if (isMutant('api-errors-reject', 'parses-api-responses')) throw error
      const { message, cause } = error as Error
      return failure(`${message}${cause instanceof Error ? `: ${cause.message}` : ''}`)
    }
  })
}

async function follow(url: string, signal: AbortSignal): Promise<Response> {
  let next = url
  for (let count = 0; count <= maxRedirects || isMutant('follows-redirects-for-ever'); count++) {
    const response = await fetch(next, { signal, redirect: 'manual' })
    const location = response.headers.get('location')
    if (response.status < 300 || response.status >= 400 || location === null) return response
    await response.body?.cancel()
    next = new URL(location, next).href
  }
  throw new Error(`more than ${maxRedirects} redirects`)
}

/** Counts after decompression. */
async function readBody({ body }: Response): Promise<string> {
  if (body === null) return ''
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const chunk of body) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > maxBytes) break
    }
  } catch (error) {
    if (!isMutant('takes-half-a-body')) throw error
  }
  return Buffer.concat(chunks).subarray(0, maxBytes).toString()
}
