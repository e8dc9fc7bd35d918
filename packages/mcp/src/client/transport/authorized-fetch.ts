import type { FetchLike } from '@modelcontextprotocol/client'
import { checkedHeaders } from '../http/checked-headers.ts'
import type { OAuthSession } from '../oauth/oauth-session.ts'

const maxAttempts = 3

/** Adds the token. A request that is rejected for lack of authorization is sent again after a sign-in: it had no effect. */
export function authorizedFetch(fetch: FetchLike, auth: OAuthSession): FetchLike {
  return async (url, init) => {
    // The token is only for this server.
    if (new URL(url).origin !== auth.origin) return await fetch(url, init)
    for (let attempt = 1; ; attempt++) {
      const token = await auth.token()
      const response = await fetch(url, token === undefined ? init : withToken(url, init, token))
      if (attempt === maxAttempts) return response
      let isRenewed = true
      try {
        isRenewed = await auth.renew(response, token, init?.signal ?? undefined)
      } finally {
        // The response is not used, even if the renewal failed.
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
