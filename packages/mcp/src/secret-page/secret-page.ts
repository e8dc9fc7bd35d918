import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { messageOf, shortestSecret } from '@curfew/core/internal'
import { readBody } from '../http/read-body.ts'
import { endPage, formPage, styleHash } from './secret-page-html.ts'

const loopback = '127.0.0.1'
const maxBodyBytes = 64 * 1024

export interface SecretPageOptions {
  /** The secret's name. */
  readonly key: string
  /** What will get it, in words: `api.example.com`. Null if that is not known yet. */
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
  const page = new ServedPage(options)
  await page.listen()
  return page
}

class ServedPage implements SecretPage {
  readonly answer: Promise<string | null>
  readonly #options: SecretPageOptions
  readonly #path = `/${randomBytes(32).toString('base64url')}`
  readonly #http = createServer({
    headersTimeout: 5_000,
    requestTimeout: 10_000,
    connectionsCheckingInterval: 2_000,
  })
  readonly #ended: Promise<void>
  #origin = ''
  #settled = false
  #answered: (answer: string | null) => void = () => {}

  constructor(options: SecretPageOptions) {
    this.#options = options
    this.answer = new Promise((resolve) => {
      this.#answered = resolve
    })
    this.#ended = new Promise((resolve) => {
      this.#http.once('close', resolve)
    })
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
        const message = `The page that asks for ${key} cannot be opened: ${messageOf(error)}`
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
    await this.#ended
  }

  readonly #onAbort = (): void => void this.close()

  #settle(value: string | null): void {
    this.#settled = true
    this.#options.signal.removeEventListener('abort', this.#onAbort)
    this.#answered(value)
  }

  #end(): void {
    this.#http.close()
    this.#http.closeAllConnections()
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { headers, method, url } = request
    // Another name for this machine is how a foreign page would come in.
    if (`http://${headers.host}` !== this.#origin)
      return show(response, 403, endPage('This page has another address.'))
    if (url !== this.#path) return show(response, 404, endPage('There is nothing here.'))
    if (this.#settled) return show(response, 410, endPage('This question has been answered.'))
    if (method === 'GET') return show(response, 200, formPage(this.#options, ''))
    if (method !== 'POST') return show(response, 405, endPage('This is not possible here.'))
    if (headers.origin !== this.#origin)
      return show(response, 403, endPage('This answer comes from another page.'))
    const body = await readBody(request, maxBodyBytes)
    if (body === 'broken-off') return
    if (body === 'too-large')
      return show(response, 413, formPage(this.#options, 'That is too long for a secret.'))
    this.#take(response, new URLSearchParams(body.text))
  }

  #take(response: ServerResponse, fields: URLSearchParams): void {
    const secret = fields.get('secret') ?? ''
    const declined = fields.get('action') === 'decline'
    if (this.#settled) return show(response, 410, endPage('This question has been answered.'))
    if (!declined && secret.length < shortestSecret) {
      const hint = `A secret has at least ${shortestSecret} characters. Enter it, or decline.`
      return show(response, 422, formPage(this.#options, hint))
    }
    this.#settle(declined ? null : secret)
    const page = endPage(declined ? 'Nothing was handed over.' : `${this.#options.key} was handed over.`)
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
