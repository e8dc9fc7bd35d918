import { Random } from '../../../../test/support/random.ts'
import type { Home } from '../helpers/gateway.ts'
import { RawClient, type RawMessage } from '../helpers/raw-client.ts'
import { clientMessage, initialize, withEnvelope } from './corpus.ts'
import { Ledger } from './ledger.ts'
import { mutate } from './mutate.ts'

type Fields = Readonly<Record<string, unknown>>

const waitMs = 60_000

/** A hostile client on stdio for one protocol version, with hostile servers behind the gateway. */
export class StdioSide {
  readonly client: RawClient
  readonly ledger: Ledger = new Ledger()
  probes = 0
  fromClient = 0
  fromServers = 0
  readonly #era: 'legacy' | 'modern'
  #random = new Random(0)
  #id = 0
  #live: number[] = []

  constructor(home: Home, era: 'legacy' | 'modern') {
    this.#era = era
    this.client = new RawClient(home)
    this.client.onmessage = (message) => this.#onMessage(message)
    this.client.onsend = (line) => this.ledger.onSent(line)
  }

  async open(): Promise<void> {
    if (this.#era === 'legacy') await this.client.initialize(initialize.capabilities as Fields)
    // From here on, all servers are known.
    await this.#request('list', 'tools/list', {})
  }

  /** Sends mutated messages from all sides, and a valid call that must be answered correctly. */
  async round(random: Random, messages: number): Promise<void> {
    this.#random = random
    this.#live = []
    const probe = this.#probe()
    for (let sent = 0; sent < messages; sent++) {
      this.#live.push(++this.#id)
      this.#sendMutated(this.#framed(clientMessage(random, this.#id, this.#live)))
    }
    const acts = [this.#act('mcp__fuzz__act', messages), this.#act('mcp__remote__act', 1)]
    await Promise.all([...acts, this.#act('mcp__remote__act', messages)])
    await probe
    await this.ledger.settled(waitMs)
    await this.#probe()
    if (this.client.failure !== null) throw this.client.failure
  }

  #framed(message: Fields): Fields {
    return this.#era === 'modern' ? withEnvelope(message) : message
  }

  async #request(id: number | string, method: string, params: Fields): Promise<RawMessage> {
    const answer = this.client.answerTo(id)
    this.client.send(JSON.stringify(this.#framed({ jsonrpc: '2.0', id, method, params })))
    return await withTimeout(answer, `${method} with the id ${id}`)
  }

  async #probe(): Promise<void> {
    const text = `probe ${++this.probes}`
    const params = { name: 'mcp__honest__echo', arguments: { text } }
    const answer = await this.#request(text, 'tools/call', params)
    const [block] = (answer.result?.content ?? []) as readonly { readonly text?: string }[]
    if (block?.text !== text)
      throw new Error(`the response to ${text} was: ${JSON.stringify(answer).slice(0, 500)}`)
  }

  async #act(name: string, count: number): Promise<void> {
    this.fromServers += count
    const params = { name, arguments: { seed: this.#random.below(2 ** 31), count } }
    await this.#request(++this.#id, 'tools/call', params)
  }

  #onMessage(message: RawMessage): void {
    const { id, method } = message
    if (method === undefined) return this.ledger.onReceived(message)
    if (id == null) return
    const answer = { jsonrpc: '2.0', id, result: answers[method] ?? {} }
    // The mutated answer may be rejected; without a valid one, the question would stay open.
    this.#sendMutated(answer)
    this.client.send(JSON.stringify(answer))
  }

  #sendMutated(message: object): void {
    this.fromClient++
    this.client.send(mutate(this.#random, message))
  }
}

const answers: Readonly<Record<string, object>> = {
  'elicitation/create': { action: 'decline' },
  'sampling/createMessage': { role: 'assistant', model: 'none', content: { type: 'text', text: 'x' } },
  'roots/list': { roots: [{ uri: 'file:///nowhere', name: 'x' }] },
}

export async function withTimeout<T>(promise: Promise<T>, description: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`never answered: ${description}`)), waitMs)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
