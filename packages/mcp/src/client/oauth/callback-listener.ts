import { timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { abortable } from '@curfew/core/internal'

/** Used if it is free, so that a client can be registered manually with a fixed URL. */
const defaultPort = 28_737

/** The URL that the browser is redirected to after a sign-in. */
export function callbackUrl(port: number = defaultPort): string {
  return `http://127.0.0.1:${port}/callback`
}

export interface CallbackListener {
  readonly redirectUrl: string
  /** Waits for the response with this state. */
  wait(state: string, signal: AbortSignal): Promise<URLSearchParams>
  close(): void
}

/** Opens an HTTP server on loopback for the duration of a sign-in. */
export async function openCallbackListener(preferred: string = callbackUrl()): Promise<CallbackListener> {
  let expected: { readonly state: string; readonly resolve: (params: URLSearchParams) => void } | null = null
  const server = createServer((request, response) => {
    // Any page in the browser can send requests here; only the real response contains the state.
    const url = callbackOf(request, redirectUrl)
    if (url === null) return respond(response, 404, 'Not found.')
    if (expected === null || !isEqual(url.searchParams.get('state') ?? '', expected.state)) {
      return respond(response, 400, 'This is not the sign-in in progress. Please start it again.')
    }
    const isRejected = url.searchParams.has('error')
    respond(
      response,
      200,
      isRejected
        ? 'The sign-in was rejected. You can close this page.'
        : 'Signed in. You can close this page.',
    )
    expected.resolve(url.searchParams)
    expected = null
  })
  const redirectUrl = callbackUrl(await listen(server, Number(new URL(preferred).port)))
  return {
    redirectUrl,
    async wait(state, signal) {
      const received = new Promise<URLSearchParams>((resolve) => {
        expected = { state, resolve }
      })
      try {
        return await abortable(received, signal)
      } finally {
        expected = null
      }
    },
    close() {
      server.close()
      server.closeIdleConnections()
    },
  }
}

/** The URL of a redirected browser; `null` for any other request. */
function callbackOf({ method, headers, url = '' }: IncomingMessage, redirectUrl: string): URL | null {
  const { host, pathname } = new URL(redirectUrl)
  if (method !== 'GET' || headers.host !== host || !URL.canParse(url, redirectUrl)) return null
  const requested = new URL(url, redirectUrl)
  return requested.pathname === pathname ? requested : null
}

/** Listens on the preferred port, or on any. Returns the port. */
async function listen(server: Server, preferred: number): Promise<number> {
  for (const port of [preferred, 0]) {
    try {
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
      return (server.address() as AddressInfo).port
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (port === 0 || (code !== 'EADDRINUSE' && code !== 'EACCES')) throw error
    }
  }
  throw new Error('there is no free port')
}

function isEqual(a: string, b: string): boolean {
  const [first, second] = [Buffer.from(a), Buffer.from(b)]
  return first.length === second.length && timingSafeEqual(first, second)
}

function respond(response: ServerResponse<IncomingMessage>, status: number, text: string): void {
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'",
    'referrer-policy': 'no-referrer',
    connection: 'close',
  }
  response.writeHead(status, headers).end(`${text}\n`)
}
