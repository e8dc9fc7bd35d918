import type { FetchLike } from '@modelcontextprotocol/client'
import { checkedHeaders } from '../http/checked-headers.ts'
import type { OAuthSession } from '../oauth/oauth-session.ts'

/** A server that asks who is there is told, once or twice; then its answer stands. */
const maxAttempts = 3

/** Adds the token. What the server refuses is sent again after signing in: it has not looked at it yet. */
export function authorizedFetch(fetch: FetchLike, auth: OAuthSession): FetchLike {
  return async (url, init) => {
    // The token is for this server alone.
    if (new URL(url).origin !== auth.origin) return await fetch(url, init)
    for (let attempt = 1; ; attempt++) {
      const token = await auth.token()
      const response = await fetch(url, token === undefined ? init : withToken(url, init, token))
      if (attempt === maxAttempts) return response
      let isRenewed = true
      try {
        isRenewed = await auth.renew(response, token, init?.signal ?? undefined)
      } finally {
        // Nobody else will read it, also if the renewal failed.
        if (isRenewed) await response.body?.cancel()
      }
      if (!isRenewed) return response
    }
  }
}

function withToken(url: string | URL, init: RequestInit | undefined, token: string): RequestInit {
  const headers = new Headers(init?.headers)
  for (const [name, value] of checkedHeaders({ authorization: `Bearer ${token}` }, url))
    headers.set(name, value)
  return { ...init, headers }
}
