import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { messageOf, minSecretLength } from '@curfew/core/internal'
import { readBody } from '../http/read-body.ts'
import { endPage, formPage, type SecretQuestion, styleHash } from './secret-page-html.ts'

const loopback = '127.0.0.1'
const maxBodyBytes = 64 * 1024

export interface SecretPageOptions extends SecretQuestion {
  /** Closes the page. */
  readonly signal: AbortSignal
}

export interface SecretPage {
  readonly url: string
  /** The value; `null` if the person declined or the page was closed. */
  readonly answer: Promise<string | null>
  /** Resolves the answer with `null` if there is none. A response that is being sent is completed. */
  close(): Promise<void>
}

/**
 * Asks for one secret on a page that is only reachable from this machine, at a URL that cannot be guessed. The value goes from the
 * browser directly to this process. The first answer closes the page.
 */
export async function openSecretPage(options: SecretPageOptions): Promise<SecretPage> {
  const page = new ServedPage(options)
  await page.listen()
  return page
}

class ServedPage implements SecretPage {
  readonly #answer = Promise.withResolvers<string | null>()
  readonly answer: Promise<string | null> = this.#answer.promise
  readonly #options: SecretPageOptions
  readonly #path = `/${randomBytes(32).toString('base64url')}`
  readonly #http = createServer({
    headersTimeout: 5_000,
    requestTimeout: 10_000,
    connectionsCheckingInterval: 2_000,
  })
  readonly #ended = Promise.withResolvers<void>()
  #origin = ''
  #settled = false

  constructor(options: SecretPageOptions) {
    this.#options = options
    this.#http.once('close', this.#ended.resolve)
    this.#http.on('request', (request, response) => {
      this.#serve(request, response).catch(() => response.destroy())
    })
  }

  get url(): string {
    return this.#origin + this.#path
  }

  async listen(): Promise<void> {
    const { key, signal } = this.#options
    await new Promise<void>((resolve, reject) => {
      this.#http.once('error', (error) => {
        const message = `the page for the secret ${key} cannot be opened: ${messageOf(error)}`
        reject(new Error(message, { cause: error }))
      })
      this.#http.listen(0, loopback, resolve)
    })
    this.#origin = `http://${loopback}:${(this.#http.address() as AddressInfo).port}`
    if (signal.aborted) this.#onAbort()
    else signal.addEventListener('abort', this.#onAbort, { once: true })
  }

  async close(): Promise<void> {
    if (!this.#settled) {
      this.#settle(null)
      this.#end()
    }
    await this.#ended.promise
  }

  readonly #onAbort = (): void => void this.close()

  #settle(value: string | null): void {
    this.#settled = true
    this.#options.signal.removeEventListener('abort', this.#onAbort)
    this.#answer.resolve(value)
  }

  #end(): void {
    this.#http.close()
    this.#http.closeAllConnections()
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { headers, method, url } = request
    // Prevents DNS rebinding.
    if (`http://${headers.host}` !== this.#origin)
      return show(response, 403, endPage('This page is not available under this host name.'))
    if (url !== this.#path) return show(response, 404, endPage('Not found.'))
    if (this.#settled) return show(response, 410, endPage('This question has been answered.'))
    if (method === 'GET') return show(response, 200, formPage(this.#options, ''))
    if (method !== 'POST') return show(response, 405, endPage('Method not allowed.'))
    if (headers.origin !== this.#origin)
      return show(response, 403, endPage('This form was sent by another page.'))
    const body = await readBody(request, maxBodyBytes)
    if (body === 'aborted') return
    if (body === 'too-large') return show(response, 413, formPage(this.#options, 'The value is too long.'))
    this.#submit(response, new URLSearchParams(body.text))
  }

  #submit(response: ServerResponse, fields: URLSearchParams): void {
    const secret = fields.get('secret') ?? ''
    const declined = fields.get('action') === 'decline'
    if (this.#settled) return show(response, 410, endPage('This question has been answered.'))
    if (!declined && secret.length < minSecretLength) {
      const hint = `A secret has at least ${minSecretLength} characters. Enter it, or decline.`
      return show(response, 422, formPage(this.#options, hint))
    }
    this.#settle(declined ? null : secret)
    const page = endPage(declined ? 'Declined.' : `${this.#options.key} was saved.`)
    response.once('close', () => this.#end())
    show(response, 200, page)
  }
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
    // With `no-referrer`, a browser would not send the origin of the form.
    'Referrer-Policy': 'same-origin',
    'X-Frame-Options': 'DENY',
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    Connection: 'close',
  })
  response.end(html)
}
