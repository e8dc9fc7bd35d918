import { isDeepStrictEqual } from 'node:util'
import { type CurfewError, formatDuration } from '@curfew/core'
import { abortable, type Clock, messageOf, type Redactor, withTimer } from '@curfew/core/internal'
import type { ServerConfig } from '../../config/server-config.ts'
import type { Connection } from '../connection/create-client.ts'
import { type FilledValues, fillValues, type SecretReader } from '../connection/server-secrets.ts'
import { credentialErrorAtStart, toUpstreamError } from '../connection/to-upstream-error.ts'
import { ConnectionLostError, UpstreamError } from '../errors/upstream-error.ts'
import { formatEnding } from '../transport/connection-ending.ts'
import { BackOff } from './back-off.ts'
import { type ServerStatus, StatusRecord } from './server-status.ts'

export interface ManagedConnectionOptions {
  readonly config: ServerConfig
  readonly clock: Clock
  /** The secrets that the server is started with are added to it. */
  readonly redactor: Redactor
  /** Opens a connection; `closing` aborts it. */
  readonly open: (values: FilledValues, closing: AbortSignal) => Promise<Connection>
  readonly onOpen: (connection: Connection) => void
  /** Called when its status has changed. */
  readonly onStatus?: ((status: ServerStatus) => void) | undefined
  /** It was closed, or lost. */
  readonly onEnd: () => void
  /** The program that would download the server if it were started now; `null` if none. */
  readonly downloadRunner: () => string | null
  /** The name of the start timeout in error messages. */
  readonly timeoutName: string
  readonly log: (message: string) => void
}

/** A request waits up to this long for a restart that is being delayed; beyond that it fails. */
const maxRestartWaitMs = 1_000

/**
 * The connection to one server: opened on first use, and reopened with back-off after it was lost. If the server rejects its key, the
 * connection is replaced as soon as there is another key: new requests use a new one, and the old one is closed after its last request.
 */
export class ManagedConnection {
  readonly #options: ManagedConnectionOptions
  readonly #closing = new AbortController()
  readonly #status: StatusRecord
  #backOff = new BackOff()
  #current: Connection | null = null
  #opening: Promise<Connection> | null = null
  #problem: CurfewError | null = null
  /** The values of the current connection, or of the last one that could not be opened. */
  #values: FilledValues | null = null
  /** The server of the current connection rejected its key. */
  #keyRejected = false
  /** The number of open requests on each connection. */
  readonly #requests = new Map<Connection, number>()
  /** Connections that get no new requests and are closed after their last one. */
  readonly #retired = new WeakSet<Connection>()
  /** Resolves when all dropped connections are closed. */
  #dropping: Promise<void> = Promise.resolve()

  constructor(options: ManagedConnectionOptions) {
    this.#options = options
    this.#status = new StatusRecord(options.clock, () => options.onStatus?.(this.status))
  }

  get status(): ServerStatus {
    return this.#status.read(this.#current?.pid)
  }

  get current(): Connection | null {
    return this.#current
  }

  /** Why the last attempt to open it failed, or why it was lost. */
  get problem(): CurfewError | null {
    return this.#problem
  }

  /** Opens it if necessary. Rejects with `TRANSPORT_FAILED` if that fails. */
  async get(signal: AbortSignal, readSecret: SecretReader): Promise<Connection> {
    if (this.#keyRejected) await this.#retireOutdated(readSecret)
    if (this.#current !== null) return this.#current
    this.#assertNotClosing()
    if (this.#opening === null) {
      const values = await this.#fill(readSecret)
      await this.#waitForBackOff(values, signal)
      this.#assertNotClosing()
      // A concurrent request may have opened it meanwhile.
      if (this.#current !== null) return this.#current
      this.#opening ??= this.#open(values).finally(() => {
        this.#opening = null
      })
    }
    return await this.#waitForOpening(this.#opening, signal)
  }

  /** A caller that waits for a download gets an error after `startTimeout`; the download continues for later callers. */
  async #waitForOpening(opening: Promise<Connection>, signal: AbortSignal): Promise<Connection> {
    const { clock, config, timeoutName } = this.#options
    const runner = this.#options.downloadRunner()
    if (runner === null) return await abortable(opening, signal)
    const limit = `${formatDuration(config.startTimeoutMs)} (${timeoutName})`
    const reason = `is still being downloaded and started by ${runner} after ${limit}; the download continues, try again later`
    return await withTimer(clock, config.startTimeoutMs, (elapsed) =>
      Promise.race([
        abortable(opening, signal),
        elapsed.then(() => {
          throw new UpstreamError('TRANSPORT_FAILED', config.name, reason, {
            hadNoEffect: true,
            fault: 'none',
          })
        }),
      ]),
    )
  }

  /**
   * Runs a request on it. If the connection is retired meanwhile, it still completes the request. `isCall` is false for what belongs
   * to a call that was counted before.
   */
  async use<T>(
    signal: AbortSignal,
    readSecret: SecretReader,
    isCall: boolean,
    request: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    let connection = await this.get(signal, readSecret)
    while (this.#retired.has(connection)) connection = await this.get(signal, readSecret)
    const count = (change: 1 | -1): number => (this.#requests.get(connection) ?? 0) + change
    this.#requests.set(connection, count(1))
    if (isCall) this.#status.onCall()
    try {
      return await request(connection)
    } finally {
      const left = count(-1)
      if (left > 0) this.#requests.set(connection, left)
      else {
        this.#requests.delete(connection)
        if (this.#retired.has(connection)) this.#end(connection)
      }
    }
  }

  /** The server rejected its key: the connection is kept until there is another key. */
  onKeyRejected(connection: Connection): void {
    if (this.#current === connection) this.#keyRejected = true
  }

  /** Closes a connection that can no longer be used. */
  drop(connection: Connection): void {
    if (this.#current !== connection) return
    this.#onGone()
    this.#end(connection)
  }

  /** Closes the connection unless it has open requests. Returns whether it did. */
  stopIdle(): boolean {
    const connection = this.#current
    if (connection === null || this.#requests.has(connection)) return false
    this.drop(connection)
    return true
  }

  /** Drops the current connection, or the one that is being opened. */
  async disconnect(): Promise<void> {
    const connection = this.#current ?? (await this.#opening?.catch(() => null))
    if (connection != null) this.drop(connection)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    const opening = this.#opening?.catch(() => null)
    const connection = this.#current ?? (await opening) ?? null
    this.#onGone()
    for (const each of new Set([connection, ...this.#requests.keys()])) if (each !== null) this.#end(each)
    await this.#dropping
  }

  async #retireOutdated(readSecret: SecretReader): Promise<void> {
    const outdated = this.#current
    if (outdated === null) return
    const values = await this.#fill(readSecret)
    if (this.#current !== outdated || isDeepStrictEqual(values, this.#values)) return
    const { log, config } = this.#options
    log(`the MCP server ${config.name} is restarted with its new key`)
    this.#onGone()
    this.#keyRejected = false
    this.#retired.add(outdated)
    if (!this.#requests.has(outdated)) this.#end(outdated)
  }

  /** There is no current connection any more: it was closed, or lost because of a problem. */
  #onGone(problem: CurfewError | null = null): void {
    this.#current = null
    if (problem === null) this.#status.enter('stopped')
    else this.#status.fail(problem)
    this.#options.onEnd()
  }

  #end(connection: Connection): void {
    const others = this.#dropping
    this.#dropping = connection.transport.close().then(
      () => others,
      () => others,
    )
  }

  #assertNotClosing(): void {
    if (this.#closing.signal.aborted) throw this.#startFailure(new Error('Curfew is exiting'))
  }

  async #waitForBackOff(values: FilledValues, signal: AbortSignal): Promise<void> {
    const { clock, config } = this.#options
    // It may start with another key.
    if (this.#values !== null && !isDeepStrictEqual(values, this.#values)) this.#backOff = new BackOff()
    const waitMs = this.#backOff.waitMs(clock.now())
    if (waitMs === 0 || this.#opening !== null) return
    if (waitMs <= maxRestartWaitMs)
      return await withTimer(clock, waitMs, (elapsed) => abortable(elapsed, signal))
    if (this.#problem?.code === 'CREDENTIAL_REQUIRED') throw this.#problem
    const last = this.#problem === null ? '' : `: ${this.#problem.message}`
    const reason = `will be restarted in ${formatDuration(Math.ceil(waitMs))}${last}`
    // A server that exited during a call can be started, so it is not at fault for the delay.
    const fault = this.#problem instanceof ConnectionLostError ? 'none' : 'server'
    throw new UpstreamError('TRANSPORT_FAILED', config.name, reason, { hadNoEffect: true, fault })
  }

  async #fill(readSecret: SecretReader): Promise<FilledValues> {
    const { config, redactor } = this.#options
    const read: SecretReader = async (name) => {
      const value = await readSecret(name)
      redactor.add(name, value)
      return value
    }
    try {
      return await fillValues(config, read)
    } catch (error) {
      this.#problem = toUpstreamError(error, config)
      if (this.#current === null) this.#status.fail(this.#problem)
      throw error
    }
  }

  async #open(values: FilledValues): Promise<Connection> {
    const { clock, open } = this.#options
    const startedAt = clock.now()
    this.#values = values
    this.#status.enter('starting')
    try {
      // Two instances of one server could interfere with each other.
      await this.#dropping
      if (this.#closing.signal.aborted) throw new Error('Curfew is exiting')
      const connection = await open(values, this.#closing.signal)
      this.#onOpen(connection, startedAt)
      return connection
    } catch (error) {
      this.#problem = this.#startFailure(error)
      this.#status.fail(this.#problem)
      this.#backOff.onFailure(clock.now(), 0)
      throw this.#problem
    }
  }

  #onOpen(connection: Connection, startedAt: number): void {
    const { config, clock, onOpen, log } = this.#options
    this.#current = connection
    this.#keyRejected = false
    this.#problem = null
    this.#status.enter('running')
    connection.client.onclose = () => {
      if (this.#current !== connection) return
      const ending = connection.ending()
      const reason = ending === null ? 'it closed the connection' : formatEnding(ending)
      const lost = this.#closing.signal.aborted ? null : new ConnectionLostError(config.name, reason)
      this.#onGone(lost)
      // Its container may still be running.
      this.#end(connection)
      if (lost === null) return
      const now = clock.now()
      this.#backOff.onFailure(now, now - startedAt)
      this.#problem = lost
      log(lost.message)
    }
    onOpen(connection)
  }

  #startFailure(error: unknown): CurfewError {
    const { config, redactor } = this.#options
    const reason = redactor.text(messageOf(error))
    const known = credentialErrorAtStart(reason, config) ?? toUpstreamError(error, config)
    if (known.code === 'CREDENTIAL_REQUIRED') return known
    return new UpstreamError('TRANSPORT_FAILED', config.name, `could not be started: ${reason}`, {
      cause: error,
      hadNoEffect: true,
      fault: 'server',
    })
  }
}
