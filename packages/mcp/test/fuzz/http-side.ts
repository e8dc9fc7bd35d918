import type { Random } from '../../../../test/support/random.ts'
import { until } from '../../../../test/support/until.ts'
import type { Home } from '../helpers/gateway.ts'
import { RawClient, type RawMessage } from '../helpers/raw-client.ts'
import { clientMessage, initialize, withEnvelope } from './corpus.ts'
import { Ledger } from './ledger.ts'
import { mutate } from './mutate.ts'
import { withTimeout } from './stdio-side.ts'

const token = 'only-for-the-fuzzer'

/** Sends hostile requests over HTTP, next to the session of an honest client. */
export class HttpSide {
  readonly gateway: RawClient
  probes = 0
  fromClient = 0
  answered = 0
  #url = ''
  #session = ''
  #id = 0

  constructor(home: Home) {
    const env = { ...home.env, CURFEW_MCP_TOKEN: token }
    this.gateway = new RawClient({ ...home, env }, ['--http', '--port', '0'])
  }

  async open(): Promise<void> {
    const listening = (): RegExpExecArray | null => /http:\/\/\S+\/mcp/.exec(this.gateway.stderr)
    await until(() => listening() !== null || this.gateway.hasEnded)
    this.#url = listening()?.[0] ?? ''
    const message = {
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { ...initialize, capabilities: {} },
    }
    const response = await this.#post(JSON.stringify(message), {})
    this.#session = response.headers.get('mcp-session-id') ?? ''
    await this.#post('{"jsonrpc":"2.0","method":"notifications/initialized"}', this.#sessionHeaders)
    await this.#probe()
  }

  async round(random: Random, messages: number): Promise<void> {
    const posts = Array.from({ length: messages }, () => this.#postMutated(random))
    await Promise.all([...posts, this.#probe()])
    await this.#probe()
  }

  get #sessionHeaders(): Record<string, string> {
    return { 'mcp-session-id': this.#session, 'mcp-protocol-version': '2025-11-25' }
  }

  async #postMutated(random: Random): Promise<void> {
    this.fromClient++
    const isModern = random.once(3)
    const message = clientMessage(random, ++this.#id, [])
    const body = mutate(random, isModern ? withEnvelope(message) : message)
    const headers = isModern ? modernHeaders(message) : random.once(5) ? {} : this.#sessionHeaders
    const ledger = new Ledger()
    // Over HTTP, a newline does not end a message.
    ledger.onSent(body.map((byte) => (byte === 10 ? 32 : byte)))
    const excerpt = body.toString('utf8').slice(0, 300)
    const response = await this.#post(body, headers)
    const text = await withTimeout(response.text(), excerpt)
    const { status } = response
    // 503 means too many sessions.
    if (status >= 500 && status !== 503) throw new Error(`${status} for ${excerpt}: ${text.slice(0, 300)}`)
    for (const answer of messagesIn(response, text)) ledger.onReceived(answer)
    if (status === 200) await ledger.settled(0)
    this.answered++
  }

  async #probe(): Promise<void> {
    const text = `probe ${++this.probes}`
    const params = { name: 'mcp__honest__echo', arguments: { text } }
    const message = { jsonrpc: '2.0', id: text, method: 'tools/call', params }
    const response = await this.#post(JSON.stringify(message), this.#sessionHeaders)
    const [answer] = messagesIn(response, await withTimeout(response.text(), text))
    const [block] = (answer?.result?.content ?? []) as readonly { readonly text?: string }[]
    if (block?.text !== text) throw new Error(`the response to ${text} was: ${JSON.stringify(answer)}`)
  }

  async #post(body: string | Uint8Array, headers: Record<string, string>): Promise<Response> {
    const common = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    }
    const sent = fetch(this.#url, {
      method: 'POST',
      body: new Uint8Array(Buffer.from(body)),
      headers: { ...common, ...headers },
    })
    return await withTimeout(sent, `a request over HTTP with ${body.length} bytes`)
  }
}

function messagesIn({ headers }: Response, text: string): RawMessage[] {
  const type = headers.get('content-type') ?? ''
  if (text === '') return []
  if (!type.startsWith('text/event-stream')) return [JSON.parse(text)].flat()
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!))
}

function modernHeaders({ method, params }: Readonly<Record<string, unknown>>): Record<string, string> {
  const { name, uri } = Object(params) as Record<string, unknown>
  const subject = name ?? uri
  return {
    'mcp-protocol-version': '2026-07-28',
    ...(typeof method === 'string' && { 'mcp-method': method }),
    ...(typeof subject === 'string' && { 'mcp-name': subject }),
  }
}
