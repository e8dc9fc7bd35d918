import type { Home } from '../helpers/gateway.ts'
import { RawClient, type RawMessage } from '../helpers/raw-client.ts'
import { clientMessage, initialize } from './corpus.ts'
import { Ledger } from './ledger.ts'
import { mutate } from './mutate.ts'
import type { Random } from './random.ts'

const patienceMs = 60_000

/** A hostile client on stdio, with hostile servers behind the gateway. */
export class StdioSide {
  readonly client: RawClient
  readonly ledger: Ledger = new Ledger()
  probes = 0
  fromClient = 0
  fromServers = 0
  #random: Random
  #id = 0
  #live: number[] = []

  constructor(home: Home, random: Random) {
    this.client = new RawClient(home)
    this.#random = random
    this.client.onmessage = (message) => this.#onMessage(message)
    this.client.onsend = (line) => this.ledger.onSent(line)
  }

  async open(): Promise<void> {
    await this.client.initialize(initialize.capabilities as Record<string, unknown>)
    // All servers are known from here on.
    await this.client.request('list', 'tools/list')
  }

  /** Mutated messages of all sides, and an honest call that has to be answered as always. */
  async round(random: Random, messages: number): Promise<void> {
    this.#random = random
    this.#live = []
    const probe = this.#probe()
    for (let sent = 0; sent < messages; sent++) {
      this.#live.push(++this.#id)
      this.#sendMutated(clientMessage(random, this.#id, this.#live))
    }
    const acts = [this.#act('mcp__fuzz__act', messages), this.#act('mcp__remote__act', 1)]
    await Promise.all([...acts, this.#act('mcp__remote__act', messages)])
    await probe
    await this.ledger.settled(patienceMs)
    await this.#probe()
    if (this.client.failure !== null) throw this.client.failure
  }

  async #probe(): Promise<void> {
    const text = `probe ${++this.probes}`
    const given = await withinPatience(this.client.call(text, 'mcp__honest__echo', { text }), text)
    if (given !== text) throw new Error(`the honest server's answer to ${text} was: ${given.slice(0, 500)}`)
  }

  async #act(name: string, count: number): Promise<void> {
    const id = ++this.#id
    const params = { name, arguments: { seed: this.#random.below(2 ** 31), count } }
    const line = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })
    const answer = this.client.answerTo(id)
    this.client.send(line)
    this.fromServers += count
    await withinPatience(answer, name)
  }

  #onMessage(message: RawMessage): void {
    const { id, method } = message
    if (method === undefined) return this.ledger.onReceived(message)
    if (id == null) return
    const answer = { jsonrpc: '2.0', id, result: answers[method] ?? {} }
    // A question without an answer would stay open.
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

export async function withinPatience<T>(promise: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`never answered: ${what}`)), patienceMs)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
