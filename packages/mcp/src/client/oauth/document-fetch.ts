import { CurfewError } from '@curfew/core'
import { maxJsonDepth, parseJson } from '@curfew/core/internal'
import type { FetchLike } from '@modelcontextprotocol/client'
import { displayUrl } from '../http/http-error.ts'
import { readLimitedText, sameHead } from '../http/read-limited-text.ts'

/** Metadata and tokens are small. */
const maxBytes = 1 << 20

/** For the documents of sign-in servers: what is too large or nested too deep never reaches the SDK. */
export function documentFetch(fetch: FetchLike): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init)
    if (response.body === null) return response
    const where = displayUrl(url)
    const text = await readLimitedText(
      response.body,
      maxBytes,
      `${where}: more than ${maxBytes} bytes were not read`,
    )
    if (!isUsable(text)) {
      const problem = `${where}: expected JSON of at most ${maxJsonDepth} levels`
      if (response.ok) throw new CurfewError('TRANSPORT_FAILED', problem)
      return new Response('', sameHead(response))
    }
    return new Response(text, sameHead(response))
  }
}

/** Not every answer is JSON: the SDK says what it makes of the others. */
function isUsable(text: string): boolean {
  if (!/^\s*[{[]/.test(text)) return true
  try {
    parseJson(text)
    return true
  } catch {
    return false
  }
}
