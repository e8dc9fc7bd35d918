import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { LineReader } from '@curfew/core/internal'
import { curfew, type Home } from './gateway.ts'

type Fields = Readonly<Record<string, unknown>>

/** What the gateway sends. */
export interface RawMessage {
  readonly jsonrpc: '2.0'
  readonly id?: number | string | null
  readonly method?: string
  readonly params?: Fields
  readonly result?: Fields
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** Starts `curfew mcp` with a client that can send arbitrary lines. */
export class RawClient {
  readonly process: ChildProcess
  /** Called with every received message. */
  onmessage: (message: RawMessage) => void = () => {}
  /** Called with every sent line. */
  onsend: (line: Uint8Array) => void = () => {}
  /** The first received line that is not a message. */
  failure: Error | null = null
  stderr = ''
  readonly #waiting = new Map<string, (message: RawMessage) => void>()

  constructor(home: Home, args: readonly string[] = []) {
    this.process = spawn(process.execPath, [curfew, 'mcp', ...args], { env: home.env, cwd: home.folder })
    const lines = new LineReader(1 << 30, { onLine: (line) => this.#onLine(line), onSkipped: () => {} })
    this.process.stdout!.on('data', (chunk: Buffer) => lines.push(chunk))
    this.process.stderr!.on('data', (chunk: Buffer) => {
      this.stderr = (this.stderr + chunk).slice(-65_536)
    })
    // Over HTTP it does not notice a disconnect.
    const kill = (): void => void this.process.kill()
    process.once('exit', kill)
    this.process.once('exit', () => process.off('exit', kill))
    // It may have exited.
    this.process.stdin!.on('error', () => {})
  }

  get pid(): number {
    return this.process.pid ?? 0
  }

  get hasEnded(): boolean {
    return this.process.exitCode !== null || this.process.signalCode !== null
  }

  send(line: string | Uint8Array): void {
    this.onsend(Buffer.from(line))
    this.process.stdin!.write(line)
    this.process.stdin!.write('\n')
  }

  /** The next message with this id. Rejects if the gateway exits. */
  answerTo(id: number | string | null): Promise<RawMessage> {
    return new Promise((resolve, reject) => {
      const onExit = (): void => reject(new Error(`the gateway has exited; it printed:\n${this.stderr}`))
      this.process.once('exit', onExit)
      this.#waiting.set(JSON.stringify(id), (message) => {
        this.process.off('exit', onExit)
        resolve(message)
      })
      if (this.hasEnded) onExit()
    })
  }

  async request(id: number | string, method: string, params: Fields = {}): Promise<RawMessage> {
    const answer = this.answerTo(id)
    this.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    return await answer
  }

  async initialize(capabilities: Fields = {}): Promise<void> {
    const clientInfo = { name: 'raw', version: '1.0.0' }
    await this.request('initialize', 'initialize', {
      protocolVersion: '2025-11-25',
      capabilities,
      clientInfo,
    })
    this.send('{"jsonrpc":"2.0","method":"notifications/initialized"}')
  }

  /** The text of a tool's result. */
  async call(id: number | string, name: string, args: Fields = {}): Promise<string> {
    const { result, error } = await this.request(id, 'tools/call', { name, arguments: args })
    if (error !== undefined) return `${error.code}: ${error.message}`
    return (result!.content as readonly { readonly text?: string }[]).map(({ text }) => text).join('\n')
  }

  /** Closes stdin and returns the exit code. */
  async close(): Promise<number | null> {
    this.process.stdin!.end()
    if (!this.hasEnded) await once(this.process, 'exit')
    return this.process.exitCode
  }

  #onLine(line: string): void {
    let message: RawMessage
    try {
      message = JSON.parse(line)
      if (message.jsonrpc !== '2.0') throw new Error('expected "jsonrpc": "2.0"')
    } catch (error) {
      this.failure ??= new Error(`the gateway sent a line that is not a message: ${line.slice(0, 200)}`, {
        cause: error,
      })
      return
    }
    if (message.method === undefined) {
      const key = JSON.stringify(message.id)
      const resolve = this.#waiting.get(key)
      this.#waiting.delete(key)
      resolve?.(message)
    }
    this.onmessage(message)
  }
}
