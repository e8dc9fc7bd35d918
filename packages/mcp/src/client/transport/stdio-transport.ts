import { existsSync } from 'node:fs'
import { CurfewError } from '@curfew/core'
import {
  type Clock,
  messageOf,
  type ProcessResult,
  type Redactor,
  type RunningProcess,
  startProcess,
  systemClock,
} from '@curfew/core/internal'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { withTimer } from '../../async/with-timer.ts'
import { invalidResponseError, refusalOf } from '../../wire/error-responses.ts'
import { LineReader } from '../../wire/line-reader.ts'
import {
  type InvalidMessage,
  maxMessageBytes,
  oversizedMessage,
  readMessage,
} from '../../wire/read-message.ts'
import { deliverInOrder } from './deliver-in-order.ts'
import { FloodGauge, floodReason } from './flood-gauge.ts'
import { forNobody, PendingRequests } from './pending-requests.ts'
import { redactMessage } from './redact-message.ts'
import { summarizeStderr } from './summarize-stderr.ts'

export interface StdioOptions {
  readonly argv: readonly [string, ...string[]]
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string | undefined
  /** Takes secrets out of what the server says. */
  readonly redactor?: Redactor | undefined
  readonly clock?: Clock | undefined
}

/** A server that does not read what it is sent is not sent more. */
const maxUnreadBytes = 16 << 20
/** A server that prints so many lines in a row that are no messages is stopped. */
const maxNoiseLines = 10_000
/** Kept of what it writes to standard error: the cause may stand far before the end. */
const stderrBytes = 16_384
/** After its input was closed a server may end by itself; then it is told to, then made to. */
const closeTimeoutMs = 300
const graceMs = 450

/** A server that is a process of ours: whatever it starts ends with it. One message a line. */
export class StdioTransport implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>
  onclose?: () => void
  onerror?: (error: Error) => void
  readonly #options: StdioOptions
  readonly #clock: Clock
  readonly #stop = new AbortController()
  readonly #lines = new LineReader(maxMessageBytes, {
    onLine: (line) => this.#onLine(line),
    onSkipped: ({ bytes, head, tail }) => this.#onInvalid(oversizedMessage(bytes, head, tail), head),
    onEndless: (bytes) => this.#giveUp(`it was stopped: it sent ${bytes} bytes without the end of a message`),
  })
  readonly #open = new PendingRequests()
  readonly #unasked: FloodGauge
  readonly #deliver = deliverInOrder((message) => this.onmessage?.(message))
  #process: RunningProcess | null = null
  #result: ProcessResult | null = null
  #stderr: Buffer = Buffer.alloc(0)
  #noise: string | null = null
  #noiseLines = 0
  #why: string | null = null
  #closed = false

  constructor(options: StdioOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#unasked = new FloodGauge(this.#clock)
  }

  async start(): Promise<void> {
    const { argv, env, cwd } = this.#options
    const running = startProcess({
      argv,
      env,
      cwd,
      stdin: 'pipe',
      graceMs,
      maxOutputBytes: 1_024,
      signal: this.#stop.signal,
      onOutput: (chunk, stream) => (stream === 'stdout' ? this.#lines.push(chunk) : this.#onStderr(chunk)),
    })
    this.#process = running
    void running.result.then((result) => this.#onEnd(result))
    if (running.pid !== undefined) return
    const { error } = await running.result
    throw new CurfewError('TRANSPORT_FAILED', startProblem(error, this.#options))
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#process?.stdin
    if (this.#closed || stdin == null || !stdin.writable) throw new Error('the server has ended')
    if (stdin.writableLength > maxUnreadBytes) throw new Error('the server does not read what it is sent')
    // What is sent at once leaves in one write: waking another process is expensive.
    stdin.cork()
    process.nextTick(() => stdin.uncork())
    stdin.write(`${JSON.stringify(message)}\n`)
    this.#open.onSend(message)
  }

  async close(): Promise<void> {
    const running = this.#process
    if (running === null || this.#result !== null) return this.#onClose()
    // However it ends now, it is not its own doing.
    this.#why ??= 'it was stopped'
    running.stdin?.end()
    await withTimer(this.#clock, closeTimeoutMs, (over) => Promise.race([running.result, over]))
    this.#stop.abort()
    await running.result
  }

  /** Why it ended, and what it said last: for the text of an error. */
  get ending(): string {
    const { stderr } = this
    const how = this.#why ?? (this.#result === null ? null : describeExit(this.#result, this.#options))
    const said =
      stderr !== '' ? `; it said: ${stderr}` : this.#noise === null ? '' : `; it printed: ${this.#noise}`
    return `${how ?? 'it is still running'}${said}`
  }

  get pid(): number | undefined {
    return this.#process?.pid
  }

  /** The last it wrote to standard error, with what names the cause. */
  get stderr(): string {
    return summarizeStderr(this.#hidden(this.#stderr.toString('utf8')))
  }

  /** Hidden first: a cut through a secret would leave its beginning. */
  #hidden(text: string): string {
    return this.#options.redactor?.text(text) ?? text
  }

  #onStderr(chunk: Buffer): void {
    this.#stderr = Buffer.concat([this.#stderr, chunk.subarray(-stderrBytes)]).subarray(-stderrBytes)
  }

  #onLine(line: string): void {
    const text = line.trim()
    if (text === '' || this.#isOver) return
    const read = readMessage(text)
    if ('problem' in read) return this.#onInvalid(read, text)
    this.#noiseLines = 0
    const { message } = read
    if (this.#open.onMessage(message)) return this.#deliver(redactMessage(message, this.#options.redactor))
    if (this.#unasked.push()) return this.#giveUp(floodReason)
    // A response that nobody waits for goes no further.
    if ('method' in message) this.#deliver(redactMessage(message, this.#options.redactor))
    else if (this.#open.isForNobody(message)) this.onerror?.(new Error(this.#hidden(forNobody(message))))
  }

  /** The request that it answers fails, or the server is told; everything else goes on. */
  #onInvalid(invalid: InvalidMessage, text: string): void {
    const { kind, id, problem } = invalid
    if (this.#isOver) return
    if (kind === 'none') return this.#onNoise(text)
    if (kind === 'response' && id !== null && this.#open.end(id))
      return this.#deliver(invalidResponseError(id, problem))
    if (this.#unasked.push()) return this.#giveUp(floodReason)
    this.onerror?.(new Error(`it sent an invalid ${kind}: ${problem}`))
    if (kind === 'request') this.send(refusalOf(invalid)).catch(() => {})
  }

  /** Many servers print to standard output what belongs on standard error. */
  #onNoise(text: string): void {
    const isFirst = this.#noise === null
    this.#noise = this.#hidden(text.slice(0, 10_000)).slice(0, 200)
    if (isFirst) this.onerror?.(new Error(`it prints to standard output what is no message: ${this.#noise}`))
    if (++this.#noiseLines > maxNoiseLines)
      this.#giveUp(`it was stopped: it printed ${maxNoiseLines} lines that are no messages`)
  }

  get #isOver(): boolean {
    return this.#closed || this.#stop.signal.aborted
  }

  #giveUp(why: string): void {
    if (this.#stop.signal.aborted) return
    this.#why ??= why
    this.#stop.abort()
  }

  #onEnd(result: ProcessResult): void {
    this.#result = result
    this.#onClose()
  }

  #onClose(): void {
    if (this.#closed) return
    this.#closed = true
    this.onclose?.()
  }
}

function describeExit({ outcome, exitCode, signal, error }: ProcessResult, options: StdioOptions): string {
  if (outcome === 'not_started') return startProblem(error, options)
  if (outcome === 'cancelled') return 'it was stopped'
  return signal === null ? `it ended with exit code ${exitCode}` : `it was ended by ${signal}`
}

function startProblem(error: NodeJS.ErrnoException | null, { argv, cwd }: StdioOptions): string {
  const program = argv[0] ?? ''
  if (error?.code === 'EACCES') return `${program} is not executable`
  if (error?.code !== 'ENOENT') return messageOf(error)
  if (cwd !== undefined && !existsSync(cwd)) return `there is no such folder to start it in: ${cwd}`
  return `there is no such program${program.includes('/') ? '' : ' on the PATH'}: ${program}`
}
