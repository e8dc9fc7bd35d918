import type { ChildProcess } from 'node:child_process'
import type { ServerSetup } from '../../src/adapter/adapter.ts'
import { kill, startContained } from './contained.ts'
import { LineReader } from './line-reader.ts'
import { isMutant } from './mutation.ts'

export interface Response {
  readonly id?: unknown
  readonly method?: string
  readonly result?: unknown
  readonly error?: { readonly message?: unknown } | null
}

export class ServerEnded extends Error {}

interface Waiting {
  resolve(response: Response): void
  reject(error: Error): void
}

/** One process of an MCP server, and the requests to it. */
export class ServerConnection {
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, Waiting>()
  readonly #onChange: () => void
  readonly #ended = Promise.withResolvers<void>()
  readonly #early: Response[] = []
  #messages = 0
  #lastId = 0
  hasEnded = false

  constructor({ command, args }: ServerSetup, onChange: () => void) {
    const whole = isMutant('servers-in-background')
      ? ['sh', '-c', '(cat; exec sleep 60) | "$@"', 'sh', command, ...args]
      : [command, ...args]
    this.#child = startContained(whole[0]!, whole.slice(1), 'pipe')
    this.#onChange = onChange
    const reader = new LineReader(
      (line) => this.#receive(line),
      () => this.end('it sent a line that is too long'),
    )
    this.#child.stdout!.on('data', (chunk: Buffer) => reader.add(chunk))
    this.#child.stdout!.on('end', () => this.end('it closed its output'))
    // If nobody reads them, the server blocks.
    if (!isMutant('reads-no-errors-of-servers')) this.#child.stderr!.resume()
    // It may have ended.
    this.#child.stdin!.on('error', () => {})
    this.#child.on('exit', () => {
      this.#ended.resolve()
      this.end('it has ended')
    })
  }

  request(method: string, params: object): { readonly id: number; readonly response: Promise<Response> } {
    const id = ++this.#lastId
    const response = new Promise<Response>((resolve, reject) => {
      if (this.hasEnded) return reject(new ServerEnded('the server has ended'))
      const early = this.#early.shift()
      if (early !== undefined) return resolve(early)
      this.#waiting.set(id, { resolve, reject })
    })
    this.#send({ id, method, params })
    return { id, response }
  }

  notify(method: string, params: object = {}): void {
    this.#send({ method, params })
  }

  /** Its answer would be ignored. */
  forget(id: number): void {
    this.#waiting.delete(id)
  }

  end(reason: string): void {
    if (this.hasEnded) return
    this.hasEnded = true
    kill(this.#child)
    for (const { reject } of this.#waiting.values())
      reject(new ServerEnded(`the server cannot answer: ${reason}`))
    this.#waiting.clear()
  }

  /** Lets the server end by itself, for a moment. */
  async close(): Promise<void> {
    this.#child.stdin!.end()
    const timer = setTimeout(
      () => (isMutant('asks-servers-to-end') ? this.#child.kill('SIGTERM') : kill(this.#child)),
      300,
    )
    if (!this.hasEnded)
      await Promise.race([this.#ended.promise, new Promise((resolve) => setTimeout(resolve, 2_000))])
    clearTimeout(timer)
    this.hasEnded = true
  }

  #send(message: object): void {
    if (this.#child.stdin!.writable)
      this.#child.stdin!.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }

  #receive(line: string): void {
    const message = parseLine(line)
    if (message === null) return
    if (isMutant('talkative-servers-are-ended') && ++this.#messages > 10_000)
      return this.end('it talks too much')
    const { id, method } = message
    if (method === 'notifications/tools/list_changed') return this.#onChange()
    if (method !== undefined) return this.#answer(id, method)
    const key = isMutant('answers-by-position') ? [...this.#waiting.keys()][0] : id
    const waiting = this.#waiting.get(key as number)
    if (waiting === undefined && isMutant('answers-by-position')) this.#early.push(message)
    this.#waiting.delete(key as number)
    waiting?.resolve(message)
  }

  /** Requests of the server. */
  #answer(id: unknown, method: string): void {
    if (id === undefined || isMutant('ignores-requests-of-servers')) return
    if (method === 'ping') this.#send({ id, result: {} })
    else this.#send({ id, error: { code: -32601, message: `${method} is not supported` } })
  }
}

/** Anything that is no message is ignored. */
function parseLine(line: string): Response | null {
  if (line.trim() === '') return null
  try {
    const message: unknown = JSON.parse(line)
    return typeof message === 'object' && message !== null && !Array.isArray(message) ? message : null
  } catch (error) {
    if (isMutant('lines-must-be-json')) throw error
    return null
  }
}
