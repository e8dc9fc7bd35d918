import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { messageOf } from '@curfew/core/adapter'
import { shortestSecret } from '@curfew/core/secrets'
import { readBody } from '../http/read-body.ts'
import { endPage, formPage, styleHash } from './secret-page-html.ts'

const loopback = '127.0.0.1'
const mostBodyBytes = 64 * 1024

export interface SecretPageOptions {
  /** The secret's name. */
  readonly key: string
  /** What will get it, in words: `api_weather (api.example.com)`. Null if that is not known yet. */
  readonly use: string | null
  /** Why it is asked for. */
  readonly message: string
  /** Closes it: the question does not wait any longer. */
  readonly signal: AbortSignal
}

export interface SecretPage {
  readonly url: string
  /** What was typed; null if the person declined, or the page was closed. */
  readonly answer: Promise<string | null>
  /** Settles the answer with null if there is none. What was answered already is still shown to its end. */
  close(): Promise<void>
}

/**
 * Asks for one secret on a page that only this machine can open, at an address that nobody can guess. What is typed goes
 * from the browser to this process and nowhere else. The first answer ends it.
 */
export async function openSecretPage(options: SecretPageOptions): Promise<SecretPage> {
  const { signal } = options
  const path = `/${randomBytes(32).toString('base64url')}`
  let answered: (answer: string | null) => void
  const answer = new Promise<string | null>((resolve) => {
    answered = resolve
  })
  const http = createServer({
    headersTimeout: 5_000,
    requestTimeout: 10_000,
    connectionsCheckingInterval: 2_000,
  })
  const ended = new Promise<void>((resolve) => {
    http.once('close', resolve)
  })
  let origin = ''
  let settled = false

  function settle(value: string | null): void {
    settled = true
    signal.removeEventListener('abort', onAbort)
    answered(value)
  }

  function end(): void {
    http.close()
    http.closeAllConnections()
  }

  async function close(): Promise<void> {
    if (!settled) {
      settle(null)
      end()
    }
    await ended
  }

  const onAbort = (): void => void close()

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { headers, method, url } = request
    // Another name for this machine is how a foreign page would come in.
    if (`http://${headers.host}` !== origin)
      return show(response, 403, endPage('This page has another address.'))
    if (url !== path) return show(response, 404, endPage('There is nothing here.'))
    if (settled) return show(response, 410, endPage('This question has been answered.'))
    if (method === 'GET') return show(response, 200, formPage(options, ''))
    if (method !== 'POST') return show(response, 405, endPage('This is not possible here.'))
    if (headers.origin !== origin) return show(response, 403, endPage('This answer comes from another page.'))
    const body = await readBody(request, mostBodyBytes)
    if (body === 'broken-off') return
    if (body === 'too-large') return show(response, 413, formPage(options, 'That is too long for a secret.'))
    takeAnswer(response, new URLSearchParams(body.text))
  }

  function takeAnswer(response: ServerResponse, fields: URLSearchParams): void {
    const secret = fields.get('secret') ?? ''
    const declined = fields.get('action') === 'decline'
    if (settled) return show(response, 410, endPage('This question has been answered.'))
    if (!declined && secret.length < shortestSecret) {
      const hint = `A secret has at least ${shortestSecret} characters. Enter it, or decline.`
      return show(response, 422, formPage(options, hint))
    }
    settle(declined ? null : secret)
    const page = endPage(declined ? 'Nothing was handed over.' : `${options.key} was handed over.`)
    response.once('close', end)
    show(response, 200, page)
  }

  http.on('request', (request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    http.once('error', (error) =>
      reject(
        new Error(`The page that asks for ${options.key} cannot be opened: ${messageOf(error)}`, {
          cause: error,
        }),
      ),
    )
    http.listen(0, loopback, resolve)
  })
  origin = `http://${loopback}:${(http.address() as AddressInfo).port}`
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  return { url: origin + path, answer, close }
}

function show(response: ServerResponse, status: number, html: string): void {
  if (response.destroyed) return
  response.writeHead(status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': Buffer.byteLength(html),
    'Content-Security-Policy': [
      "default-src 'none'",
      `style-src '${styleHash}'`,
      "form-action 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ].join('; '),
    'Cache-Control': 'no-store',
    // Not `no-referrer`: under that a browser hides the origin of the form from us too.
    'Referrer-Policy': 'same-origin',
    'X-Frame-Options': 'DENY',
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    Connection: 'close',
  })
  response.end(html)
}
