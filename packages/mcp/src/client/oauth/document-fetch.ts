import { CurfewError } from '@curfew/core'
import { maxJsonDepth, parseJson } from '@curfew/core/internal'
import type { FetchLike } from '@modelcontextprotocol/client'
import { displayUrl } from '../http/http-error.ts'
import { readLimitedText, sameHead } from '../http/read-limited-text.ts'

/** For metadata and tokens. */
const maxBytes = 1 << 20

/** Fetches documents of authorization servers. One that is too large or nested too deeply does not reach the SDK. */
export function documentFetch(fetch: FetchLike): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init)
    if (response.body === null) return response
    const where = displayUrl(url)
    const text = await readLimitedText(
      response.body,
      maxBytes,
      `${where}: expected at most ${maxBytes} bytes`,
    )
    if (!isUsable(text)) {
      const problem = `${where}: expected JSON of at most ${maxJsonDepth} levels`
      if (response.ok) throw new CurfewError('TRANSPORT_FAILED', problem)
      return new Response('', sameHead(response))
    }
    return new Response(text, sameHead(response))
  }
}

/** A response that is not JSON is left to the SDK. */
function isUsable(text: string): boolean {
  if (!/^\s*[{[]/.test(text)) return true
  try {
    parseJson(text)
    return true
  } catch {
    return false
  }
}
