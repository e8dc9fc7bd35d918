import type { RawMessage } from '../helpers/raw-client.ts'

interface Account {
  /** Requests that have to be answered. */
  requests: number
  /** A request with this id may have been cancelled, and then gets no response. */
  isCancelled: boolean
  answers: number
  /** Errors for invalid messages. A broken line may get one too, if its id can be read. */
  rejections: number
}

/** JSON-RPC's codes for invalid messages. */
const rejectionCodes = new Set([-32_700, -32_600])
/** Whether a larger line gets a response depends on the position of its id. */
const maxBytes = 10 << 20

/**
 * Tracks the requests that a client has sent and their responses. It does not use the code under test to decide what a
 * request is.
 */
export class Ledger {
  readonly #accounts = new Map<string, Account>()
  #onChange: () => void = () => {}

  /** The bytes of one message, which may contain newlines. */
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
    if (error !== undefined && rejectionCodes.has(error.code)) account.rejections++
    this.#onChange()
  }

  get answered(): number {
    return [...this.#accounts.values()].reduce(
      (sum, { answers, rejections }) => sum + answers - rejections,
      0,
    )
  }

  get rejected(): number {
    return [...this.#accounts.values()].reduce((sum, { rejections }) => sum + rejections, 0)
  }

  /** Waits until every request is answered. Rejects if one is not, or is answered too often. */
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
    for (const [key, { requests, answers, rejections }] of this.#accounts) {
      if (answers - rejections > requests)
        throw new Error(`${answers - rejections} answers to ${requests} requests with the id ${key}`)
    }
  }

  #missing(): string[] {
    return [...this.#accounts]
      .filter(([, { requests, answers, isCancelled }]) => answers < requests && !isCancelled)
      .map(([key]) => key)
  }

  #account(id: unknown): Account {
    const key = JSON.stringify(id) ?? 'none'
    const account = this.#accounts.get(key) ?? { requests: 0, isCancelled: false, answers: 0, rejections: 0 }
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
