import { CredentialRequiredError, formatDuration } from '@curfew/core'
import { abortable, type Clock, withTimer } from '@curfew/core/internal'
import type { ServerConfig } from '../../config/server-config.ts'
import type { Connection } from '../connection/create-client.ts'
import { type SendOptions, sendRequest, type UpstreamRequest } from '../connection/send-request.ts'
import type { SecretReader } from '../connection/server-secrets.ts'
import { credentialErrorOf, toUpstreamError } from '../connection/to-upstream-error.ts'
import { ConnectionLostError } from '../errors/upstream-error.ts'
import { aliveTimeoutMs, isAlive } from './is-alive.ts'
import type { ManagedConnection } from './managed-connection.ts'

export interface UpstreamRequestOptions extends SendOptions {
  /** Reads secrets for a call; it may ask a person. */
  readonly readSecret?: SecretReader | undefined
  /** Called on a live connection before each attempt; the request is not sent if it rejects. */
  readonly beforeSend?: (() => Promise<void> | void) | undefined
  /** Retry the request once if the connection is lost. @default false */
  readonly repeatable?: boolean | undefined
  /** How long the call may still take. @default Infinity */
  readonly remainingMs?: number | undefined
  /** It belongs to a call whose first request was sent before, such as a poll of its task. @default false */
  readonly continuesCall?: boolean | undefined
}

export interface UpstreamRequestsOptions {
  readonly config: ServerConfig
  readonly connection: ManagedConnection
  readonly clock: Clock
  /** For requests outside of a call. */
  readonly readSecret: SecretReader
  readonly log: (message: string) => void
}

/** A ping after an abandoned request. */
interface Check {
  readonly on: Connection
  readonly startedAt: number
  readonly ended: Promise<unknown>
}

/** Sends requests to one server, and handles lost connections, rejected keys and servers that hang. */
export class UpstreamRequests {
  readonly #options: UpstreamRequestsOptions
  #check: Check | null = null

  constructor(options: UpstreamRequestsOptions) {
    this.#options = options
  }

  /**
   * Sends a request. Rejects with a `CurfewError`, or with the signal's reason. A function creates the request once the
   * server is up, so that it can contain the remaining time.
   */
  readonly send = async (
    request: UpstreamRequest | (() => UpstreamRequest),
    options: UpstreamRequestOptions,
  ): Promise<Record<string, unknown>> => {
    const { config, connection } = this.#options
    const { signal, readSecret = this.#options.readSecret, repeatable, continuesCall = false } = options
    const attempt = async (on: Connection): Promise<Record<string, unknown>> => {
      await options.beforeSend?.()
      try {
        const result = await sendRequest(on, typeof request === 'function' ? request() : request, options)
        const rejectedKey = credentialErrorOf(result, config)
        if (rejectedKey !== null) throw rejectedKey
        return result
      } catch (error) {
        throw this.#onFailure(error, on, signal)
      }
    }
    await this.#awaitCheck(options)
    try {
      return await connection.use(signal, readSecret, !continuesCall, attempt)
    } catch (error) {
      if (!(error instanceof ConnectionLostError) || !repeatable) throw error
      return await connection.use(signal, readSecret, false, attempt)
    }
  }

  /** Returns what the request rejects with. */
  #onFailure(thrown: unknown, on: Connection, signal: AbortSignal): unknown {
    const { config, connection } = this.#options
    if (signal.aborted) {
      void this.#stopIfHanging(on)
      return signal.reason
    }
    const error = toUpstreamError(thrown, config, on)
    if (error instanceof CredentialRequiredError) connection.onKeyRejected(on)
    else if (error.code === 'CREDENTIAL_REQUIRED' || error instanceof ConnectionLostError) connection.drop(on)
    return error
  }

  /**
   * After a cancelled or timed-out request. A server that answers nothing else either is stopped; the next call restarts it.
   */
  async #stopIfHanging(on: Connection): Promise<void> {
    const { config, connection, clock } = this.#options
    if (this.#check?.on === on || config.target.kind !== 'stdio') return
    const alive = isAlive(on.client, clock)
    const check: Check = { on, startedAt: clock.now(), ended: alive }
    this.#check = check
    const isHanging = !(await alive)
    if (this.#check === check) this.#check = null
    if (!isHanging || connection.current !== on) return
    this.#logStop(check)
    connection.drop(on)
  }

  /** A server that may be hanging gets no request. If it is idle, it is restarted early enough for a call with a short limit. */
  async #awaitCheck({
    signal,
    remainingMs = Number.POSITIVE_INFINITY,
  }: UpstreamRequestOptions): Promise<void> {
    const { connection, clock } = this.#options
    const check = this.#check
    if (check === null || check.on !== connection.current) return
    const patienceMs = Math.min(aliveTimeoutMs, remainingMs / 3)
    await withTimer(clock, patienceMs, (elapsed) => abortable(Promise.race([check.ended, elapsed]), signal))
    if (this.#check !== check || connection.current !== check.on) return
    if (connection.stopIdle()) this.#logStop(check)
    else await abortable(check.ended, signal)
  }

  #logStop({ startedAt }: Check): void {
    const { config, clock, log } = this.#options
    const silence = formatDuration(clock.now() - startedAt)
    log(
      `the MCP server ${config.name} is stopped: a call was cancelled or timed out, and it answered no ping for ${silence}`,
    )
  }
}
