import type { RawMessage } from '../helpers/raw-client.ts'

interface Account {
  /** Requests that have to be answered. */
  requests: number
  /** A request with this id may have been cancelled: then nobody answers it. */
  isCancelled: boolean
  answers: number
  /** Answers that say that a message was none. Also a broken line may have one, if its id can be told. */
  refusals: number
}

/** JSON-RPC's codes for messages that are none. */
const refusalCodes = new Set([-32_700, -32_600])
/** A line that is larger may be answered, or not, depending on where its id stands. */
const maxBytes = 10 << 20

/**
 * Which requests a client has sent, and which answers came. It decides by itself, and not by the code that it checks, what
 * a request is.
 */
export class Ledger {
  readonly #accounts = new Map<string, Account>()
  #onChange: () => void = () => {}

  /** The bytes of one message, which may have newlines in it. */
  onSent(bytes: Uint8Array): void {
    for (const line of splitLines(Buffer.from(bytes))) {
      const message = parse(line)
      if (message === null || line.length > maxBytes) continue
      const { id, method, params } = message
      const { requestId } = Object(params) as Readonly<Record<string, unknown>>
      if (method === 'notifications/cancelled' && isId(requestId)) this.#account(requestId).isCancelled = true
      if (typeof method === 'string' && isId(id)) this.#account(id).requests++
    }
  }

  onReceived({ id, method, error }: RawMessage): void {
    if (method !== undefined) return
    const account = this.#account(id)
    account.answers++
    if (error !== undefined && refusalCodes.has(error.code)) account.refusals++
    this.#onChange()
  }

  get answered(): number {
    return [...this.#accounts.values()].reduce((sum, { answers, refusals }) => sum + answers - refusals, 0)
  }

  get refused(): number {
    return [...this.#accounts.values()].reduce((sum, { refusals }) => sum + refusals, 0)
  }

  /** Waits until every request is answered. Rejects with what is wrong. */
  async settled(timeoutMs: number): Promise<void> {
    if (this.#missing().length > 0) {
      const timer = { id: undefined as NodeJS.Timeout | undefined }
      await new Promise<void>((resolve) => {
        timer.id = setTimeout(resolve, timeoutMs)
        this.#onChange = () => {
          if (this.#missing().length === 0) resolve()
        }
      })
      clearTimeout(timer.id)
      this.#onChange = () => {}
    }
    const missing = this.#missing()
    if (missing.length > 0) throw new Error(`never answered: ${missing.slice(0, 20).join(', ')}`)
    for (const [key, { requests, answers, refusals }] of this.#accounts) {
      if (answers - refusals > requests)
        throw new Error(`${answers - refusals} answers to ${requests} requests with the id ${key}`)
    }
  }

  #missing(): string[] {
    return [...this.#accounts]
      .filter(([, { requests, answers, isCancelled }]) => answers < requests && !isCancelled)
      .map(([key]) => key)
  }

  #account(id: unknown): Account {
    const key = JSON.stringify(id) ?? 'none'
    const account = this.#accounts.get(key) ?? { requests: 0, isCancelled: false, answers: 0, refusals: 0 }
    this.#accounts.set(key, account)
    return account
  }
}

function* splitLines(bytes: Buffer): Generator<Buffer> {
  let from = 0
  for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
    yield bytes.subarray(from, end)
    from = end + 1
  }
  yield bytes.subarray(from)
}

function parse(line: Buffer): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(line.toString('utf8').replace(/^\ufeff/, ''))
    const message = Object(value) as Record<string, unknown>
    return message.jsonrpc === '2.0' && !Array.isArray(value) ? message : null
  } catch {
    return null
  }
}

function isId(id: unknown): boolean {
  return typeof id === 'string' ? id.length <= 1_000 : Number.isSafeInteger(id)
}
