import { isDeepStrictEqual } from 'node:util'
import { CurfewError, formatDuration } from '@curfew/core'
import { type Clock, messageOf, type Redactor } from '@curfew/core/internal'
import { abortable } from '../../async/abortable.ts'
import { withTimer } from '../../async/with-timer.ts'
import type { ServerConfig } from '../../config/server-config.ts'
import type { Connection } from '../connection/create-client.ts'
import { type FilledValues, fillValues, type SecretReader } from '../connection/server-secrets.ts'
import { ConnectionLostError, credentialErrorAtStart, upstreamError } from '../connection/upstream-error.ts'
import { BackOff } from './back-off.ts'

export interface ManagedConnectionOptions {
  readonly config: ServerConfig
  readonly clock: Clock
  /** Told of the secrets that the server is given: it must not give them away. */
  readonly redactor: Redactor
  /** The signal ends it. */
  readonly open: (values: FilledValues, closing: AbortSignal) => Promise<Connection>
  readonly onOpen: (connection: Connection) => void
  /** The program that downloads the server if it is started now; `null` if none does. */
  readonly downloadRunner: () => string | null
  readonly log: (message: string) => void
}

/** A call waits so long for a server to be started again; beyond that it is told. */
const waitMs = 1_000

/**
 * The connection to one server: there when it is needed, and again, later and later, when it was lost. One whose key was refused is
 * replaced once there is another key: new requests go to a new one, and the old one ends after those that it still has.
 */
export class ManagedConnection {
  readonly #options: ManagedConnectionOptions
  readonly #closing = new AbortController()
  #backOff = new BackOff()
  #current: Connection | null = null
  #opening: Promise<Connection> | null = null
  #problem: CurfewError | null = null
  /** What was given to the current one, or to the last one that could not be opened. */
  #values: FilledValues | null = null
  /** The current one says that its key was refused. */
  #doubted = false
  /** How many requests each connection has. */
  readonly #requests = new Map<Connection, number>()
  /** They get no new requests, and end after their last one. */
  readonly #retired = new WeakSet<Connection>()
  /** Until all that was given up has ended. */
  #dropping: Promise<void> = Promise.resolve()

  constructor(options: ManagedConnectionOptions) {
    this.#options = options
  }

  get current(): Connection | null {
    return this.#current
  }

  /** Why it could not be opened last time, or was lost. */
  get problem(): CurfewError | null {
    return this.#problem
  }

  /** Opens it if it is not open. Rejects with `TRANSPORT_FAILED` if it cannot be had. */
  async get(signal: AbortSignal, readSecret: SecretReader): Promise<Connection> {
    if (this.#doubted) await this.#retireOutdated(readSecret)
    if (this.#current !== null) return this.#current
    this.#checkOpen()
    if (this.#opening === null) {
      const values = await this.#fill(readSecret)
      await this.#waitToStart(values, signal)
      this.#checkOpen()
      // Another call, which had its key sooner, may have started it meanwhile.
      if (this.#current !== null) return this.#current
      this.#opening ??= this.#open(values).finally(() => {
        this.#opening = null
      })
    }
    return await this.#wait(this.#opening, signal)
  }

  /** A caller that waits for a download gets an error after `startTimeout`; the download continues for later callers. */
  async #wait(opening: Promise<Connection>, signal: AbortSignal): Promise<Connection> {
    const { clock, config } = this.#options
    const runner = this.#options.downloadRunner()
    if (runner === null) return await abortable(opening, signal)
    const limit = formatDuration(config.startTimeoutMs)
    const why = `is still being downloaded and started by ${runner} after ${limit} (startTimeout); the download continues, try again later`
    return await withTimer(clock, config.startTimeoutMs, (over) =>
      Promise.race([
        abortable(opening, signal),
        over.then(() => {
          const message = `the MCP server ${config.name} ${why}`
          throw new CurfewError('TRANSPORT_FAILED', message, { hadNoEffect: true, fault: 'none' })
        }),
      ]),
    )
  }

  /** Makes a request on it. One that is retired meanwhile still answers it. */
  async use<T>(
    signal: AbortSignal,
    readSecret: SecretReader,
    request: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    let connection = await this.get(signal, readSecret)
    while (this.#retired.has(connection)) connection = await this.get(signal, readSecret)
    const count = (change: 1 | -1): number => (this.#requests.get(connection) ?? 0) + change
    this.#requests.set(connection, count(1))
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

  /** It says that its key was refused. It is kept until there is another key. */
  doubt(connection: Connection): void {
    if (this.#current === connection) this.#doubted = true
  }

  /** It cannot be used any more, whatever it thinks itself. */
  drop(connection: Connection): void {
    if (this.#current !== connection) return
    this.#current = null
    this.#end(connection)
  }

  /** As `drop`, also for one that is just being opened. */
  async disconnect(): Promise<void> {
    const connection = this.#current ?? (await this.#opening?.catch(() => null))
    if (connection != null) this.drop(connection)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    const opening = this.#opening?.catch(() => null)
    const connection = this.#current ?? (await opening) ?? null
    this.#current = null
    for (const each of new Set([connection, ...this.#requests.keys()])) if (each !== null) this.#end(each)
    await this.#dropping
  }

  async #retireOutdated(readSecret: SecretReader): Promise<void> {
    const doubted = this.#current
    if (doubted === null) return
    const values = await this.#fill(readSecret)
    if (this.#current !== doubted || isDeepStrictEqual(values, this.#values)) return
    const { log, config } = this.#options
    log(`the MCP server ${config.name} is started again with its new key`)
    this.#current = null
    this.#doubted = false
    this.#retired.add(doubted)
    if (!this.#requests.has(doubted)) this.#end(doubted)
  }

  #end(connection: Connection): void {
    const others = this.#dropping
    this.#dropping = connection.transport.close().then(
      () => others,
      () => others,
    )
  }

  #checkOpen(): void {
    if (this.#closing.signal.aborted) throw this.#failed(new Error('Curfew is ending'))
  }

  async #waitToStart(values: FilledValues, signal: AbortSignal): Promise<void> {
    const { clock, config } = this.#options
    // With another key it may well start.
    if (this.#values !== null && !isDeepStrictEqual(values, this.#values)) this.#backOff = new BackOff()
    const wait = this.#backOff.waitMs(clock.now())
    if (wait === 0 || this.#opening !== null) return
    if (wait > waitMs) {
      if (this.#problem?.code === 'CREDENTIAL_REQUIRED') throw this.#problem
      const last = this.#problem === null ? '' : `: ${this.#problem.message}`
      const message = `the MCP server ${config.name} is started again in ${formatDuration(Math.ceil(wait))}${last}`
      // A server that one of its tools ended can be reached, only not yet.
      const fault = this.#problem instanceof ConnectionLostError ? 'none' : 'server'
      throw new CurfewError('TRANSPORT_FAILED', message, { hadNoEffect: true, fault })
    }
    await withTimer(clock, wait, (over) => abortable(over, signal))
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
      this.#problem = upstreamError(error, config)
      throw error
    }
  }

  async #open(values: FilledValues): Promise<Connection> {
    const { clock, open } = this.#options
    const startedAt = clock.now()
    this.#values = values
    try {
      // Two of one server could be in each other's way.
      await this.#dropping
      if (this.#closing.signal.aborted) throw new Error('Curfew is ending')
      const connection = await open(values, this.#closing.signal)
      this.#onOpen(connection, startedAt)
      return connection
    } catch (error) {
      this.#problem = this.#failed(error)
      this.#backOff.onFailure(clock.now(), 0)
      throw this.#problem
    }
  }

  #onOpen(connection: Connection, startedAt: number): void {
    const { config, clock, onOpen, log } = this.#options
    this.#current = connection
    this.#doubted = false
    this.#problem = null
    connection.client.onclose = () => {
      if (this.#current !== connection) return
      this.#current = null
      if (this.#closing.signal.aborted) return
      const now = clock.now()
      this.#backOff.onFailure(now, now - startedAt)
      this.#problem = new ConnectionLostError(config.name, connection.ending() ?? 'it closed the connection')
      log(this.#problem.message)
    }
    onOpen(connection)
  }

  #failed(error: unknown): CurfewError {
    const { config, redactor } = this.#options
    const reason = redactor.text(messageOf(error))
    const known = credentialErrorAtStart(reason, config) ?? upstreamError(error, config)
    if (known.code === 'CREDENTIAL_REQUIRED') return known
    const message = `the MCP server ${config.name} could not be started: ${reason}`
    return new CurfewError('TRANSPORT_FAILED', message, {
      cause: error,
      hadNoEffect: true,
      fault: 'server',
    })
  }
}
