import { existsSync } from 'node:fs'
import { CurfewError } from '@curfew/core'
import {
  type Clock,
  LineReader,
  messageOf,
  type ProcessResult,
  type Redactor,
  type RunningProcess,
  startProcess,
  systemClock,
  withTimer,
} from '@curfew/core/internal'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import {
  type InvalidMessage,
  maxMessageBytes,
  oversizedMessage,
  readMessage,
} from '../../wire/read-message.ts'
import type { ConnectionEnding } from './connection-ending.ts'
import { ContainerGuard } from './container-guard.ts'
import { MessageIntake, ServerMessageError } from './message-intake.ts'
import { StderrCapture } from './stderr-capture.ts'
import { summarizeStderr } from './summarize-stderr.ts'

export interface StdioOptions {
  readonly argv: readonly [string, ...string[]]
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string | undefined
  /** Redacts secrets in everything that the server sends. */
  readonly redactor?: Redactor | undefined
  /** Called with each line on stderr, redacted. */
  readonly onStderr?: ((line: string) => void) | undefined
  readonly clock?: Clock | undefined
}

/** A server that does not read its input is sent no more than this. */
const maxUnreadBytes = 16 << 20
/** A server that prints more consecutive lines that are not messages is stopped. */
const maxNoiseLines = 10_000
/** After its input or output is closed, a server may exit on its own before it is terminated. */
const closeTimeoutMs = 300
/** The engine needs some time to end a container and to report it. */
const closeContainerTimeoutMs = 500
const graceMs = 450
const maxStderrLineBytes = 16_384
const lineEnd = Buffer.from('\n')

/** Starts a server as a contained process tree and exchanges one message per line with it. */
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
    onEndless: (bytes) =>
      this.#terminate(`it was stopped: it sent ${bytes} bytes without the end of a message`),
  })
  readonly #intake: MessageIntake
  #process: RunningProcess | null = null
  #container: ContainerGuard | null = null
  #result: ProcessResult | null = null
  readonly #stderr = new StderrCapture()
  readonly #stderrLines = new LineReader(maxStderrLineBytes, {
    onLine: (line) => this.#onStderrLine(this.#redact(line)),
    // A part of it could contain a part of a secret.
    onSkipped: ({ bytes }) => this.#onStderrLine(`(a line of ${bytes} bytes)`),
  })
  /** The last line on stdout that was not a message. */
  #noise: string | null = null
  #noiseLines = 0
  #stopReason: string | null = null
  #closed = false

  constructor(options: StdioOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#intake = new MessageIntake({
      clock: this.#clock,
      redactor: options.redactor,
      deliver: (message) => this.onmessage?.(message),
      reply: (message) => void this.send(message).catch(() => {}),
      onProblem: (error) => this.onerror?.(error),
      onFlood: (reason) => this.#terminate(reason),
    })
  }

  async start(): Promise<void> {
    const { argv, env, cwd } = this.#options
    this.#container = ContainerGuard.start(this.#options, this.#clock)
    const running = startProcess({
      argv: this.#container?.argv ?? argv,
      env,
      cwd,
      stdin: 'pipe',
      graceMs,
      maxOutputBytes: 1_024,
      signal: this.#stop.signal,
      onOutput: (chunk, stream) => (stream === 'stdout' ? this.#lines.push(chunk) : this.#onStderr(chunk)),
      onOutputEnd: (stream) => stream === 'stdout' && void this.#onStdoutEnd(running),
    })
    this.#process = running
    void running.result.then((result) => {
      this.#result = result
      // The last line may have no end.
      this.#stderrLines.push(lineEnd)
      void this.#endContainer(result)
      this.#onClose()
    })
    if (running.pid !== undefined) return
    const { error } = await running.result
    throw new CurfewError('TRANSPORT_FAILED', startProblem(error, this.#options))
  }

  watchProgress(...args: Parameters<MessageIntake['watchProgress']>): string {
    return this.#intake.watchProgress(...args)
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#process?.stdin
    if (this.#closed || stdin == null || !stdin.writable) throw new Error('the server has exited')
    if (stdin.writableLength > maxUnreadBytes) throw new Error('the server does not read its input')
    // Messages of the same tick leave in one write: waking another process is expensive.
    stdin.cork()
    process.nextTick(() => stdin.uncork())
    stdin.write(`${JSON.stringify(message)}\n`)
    this.#intake.onSend(message)
  }

  async close(): Promise<void> {
    const running = this.#process
    if (running !== null && this.#result === null) {
      this.#stopReason ??= 'it was stopped'
      running.stdin?.end()
      const timeoutMs = this.#container === null ? closeTimeoutMs : closeContainerTimeoutMs
      await withTimer(this.#clock, timeoutMs, (elapsed) => Promise.race([running.result, elapsed]))
      this.#stopProcess()
      await running.result
    }
    this.#onClose()
    if (this.#result !== null) await this.#endContainer(this.#result)
  }

  /** The container is stopped at the same time: its command forwards SIGTERM, but only until it is killed. */
  #stopProcess(): void {
    if (this.#result === null) void this.#container?.stop()
    this.#stop.abort()
  }

  /** The command ends with its container, unless it is killed or loses the engine, which is exit code 125. */
  async #endContainer({ exitCode, signal }: ProcessResult): Promise<void> {
    const hasEnded = signal === null && exitCode !== 125
    await (hasEnded ? this.#container?.release() : this.#container?.stop())
  }

  get ending(): ConnectionEnding {
    const { stderr } = this
    const exit = this.#result === null ? 'it is still running' : describeExit(this.#result, this.#options)
    const printed = this.#noise === null ? null : { stream: 'stdout' as const, text: this.#noise }
    return {
      reason: this.#stopReason ?? exit,
      output: stderr === '' ? printed : { stream: 'stderr', text: stderr },
    }
  }

  get pid(): number | undefined {
    return this.#process?.pid
  }

  get hasExited(): boolean {
    return this.#result !== null
  }

  /** A summary of stderr. */
  get stderr(): string {
    return summarizeStderr(this.#stderr.toString((text) => this.#redact(text)))
  }

  /** Redact before cutting: a cut through a secret would leave a part of it. */
  #redact(text: string): string {
    return this.#options.redactor?.text(text) ?? text
  }

  /** No request can be answered any more. A server that exits closes its output first, and its exit code says more. */
  async #onStdoutEnd({ result }: RunningProcess): Promise<void> {
    await withTimer(this.#clock, closeTimeoutMs, (elapsed) => Promise.race([result, elapsed]))
    if (this.#result === null) this.#terminate('it was stopped: it closed its standard output')
  }

  #onStderr(chunk: Buffer): void {
    this.#stderr.append(chunk)
    if (this.#options.onStderr !== undefined) this.#stderrLines.push(chunk)
  }

  #onStderrLine(line: string): void {
    if (line.trim() !== '') this.#options.onStderr?.(line.trimEnd())
  }

  #onLine(line: string): void {
    const text = line.trim()
    if (text === '' || this.#isOver) return
    const read = readMessage(text)
    if ('problem' in read) return this.#onInvalid(read, text)
    this.#noiseLines = 0
    this.#intake.receive(read.message)
  }

  #onInvalid(invalid: InvalidMessage, text: string): void {
    if (this.#isOver) return
    if (invalid.kind === 'none') this.#onNoise(text)
    else this.#intake.receiveInvalid(invalid)
  }

  /** Many servers print logs to stdout. */
  #onNoise(text: string): void {
    const isFirst = this.#noise === null
    this.#noise = this.#redact(text.slice(0, 10_000)).slice(0, 200)
    if (isFirst)
      this.onerror?.(new ServerMessageError(`printed a line to stdout that is not a message: ${this.#noise}`))
    if (++this.#noiseLines > maxNoiseLines)
      this.#terminate(`it was stopped: it printed ${maxNoiseLines} lines that are not messages`)
  }

  get #isOver(): boolean {
    return this.#closed || this.#stop.signal.aborted
  }

  #terminate(reason: string): void {
    if (this.#stop.signal.aborted) return
    this.#stopReason ??= reason
    this.#stopProcess()
  }

  #onClose(): void {
    if (this.#closed) return
    this.#closed = true
    this.#intake.clear()
    this.onclose?.()
  }
}

function describeExit({ outcome, exitCode, signal, error }: ProcessResult, options: StdioOptions): string {
  if (outcome === 'not_started') return startProblem(error, options)
  if (outcome === 'cancelled') return 'it was stopped'
  return signal === null ? `it exited with code ${exitCode}` : `it was killed by ${signal}`
}

function startProblem(error: NodeJS.ErrnoException | null, { argv, cwd }: StdioOptions): string {
  const program = argv[0] ?? ''
  if (error?.code === 'EACCES') return `${program} is not executable`
  if (error?.code !== 'ENOENT') return messageOf(error)
  if (cwd !== undefined && !existsSync(cwd)) return `the working directory does not exist: ${cwd}`
  return `program not found${program.includes('/') ? '' : ' on the PATH'}: ${program}`
}
