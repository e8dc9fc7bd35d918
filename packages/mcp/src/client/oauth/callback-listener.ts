import { timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { abortable } from '../../async/abortable.ts'

/** Taken if it is free, so that a client can be registered with it by hand. */
const defaultPort = 28_737

/** Where the browser is sent after a sign-in. */
export function callbackUrl(port: number = defaultPort): string {
  return `http://127.0.0.1:${port}/callback`
}

export interface CallbackListener {
  readonly redirectUrl: string
  /** Waits for the answer that carries this state. */
  wait(state: string, signal: AbortSignal): Promise<URLSearchParams>
  close(): void
}

/** A server on loopback that is there only while a person signs in. */
export async function openCallbackListener(preferred: string = callbackUrl()): Promise<CallbackListener> {
  let expected: { readonly state: string; readonly resolve: (params: URLSearchParams) => void } | null = null
  const server = createServer((request, response) => {
    // Any page in the browser can send requests here; only the real answer knows the state.
    const url = calledBack(request, redirectUrl)
    if (url === null) return answer(response, 404, 'There is nothing here.')
    if (expected === null || !isEqual(url.searchParams.get('state') ?? '', expected.state)) {
      return answer(
        response,
        400,
        'This does not belong to the sign-in that is running. Please start it again.',
      )
    }
    const refused = url.searchParams.has('error')
    answer(
      response,
      200,
      refused ? 'The sign-in was refused. You can close this page.' : 'Thank you. You can close this page.',
    )
    expected.resolve(url.searchParams)
    expected = null
  })
  const redirectUrl = callbackUrl(await listen(server, Number(new URL(preferred).port)))
  return {
    redirectUrl,
    async wait(state, signal) {
      const came = new Promise<URLSearchParams>((resolve) => {
        expected = { state, resolve }
      })
      try {
        return await abortable(came, signal)
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

/** What a browser that was sent here asks for; `null` if it is anything else. */
function calledBack({ method, headers, url = '' }: IncomingMessage, redirectUrl: string): URL | null {
  const own = new URL(redirectUrl)
  if (method !== 'GET' || headers.host !== own.host || !URL.canParse(url, redirectUrl)) return null
  const asked = new URL(url, redirectUrl)
  return asked.pathname === own.pathname ? asked : null
}

/** The port that it listens on: the one that is wanted, or any. */
async function listen(server: Server, wanted: number): Promise<number> {
  for (const port of [wanted, 0]) {
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

function isEqual(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}

function answer(response: ServerResponse<IncomingMessage>, status: number, text: string): void {
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'",
    'referrer-policy': 'no-referrer',
    connection: 'close',
  }
  response.writeHead(status, headers).end(`${text}\n`)
}
