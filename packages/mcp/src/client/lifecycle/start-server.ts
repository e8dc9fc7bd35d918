import { formatDuration } from '@curfew/core'
import { SdkError, SdkErrorCode } from '@modelcontextprotocol/client'
import { noSdkTimeout } from '../../async/no-sdk-timeout.ts'
import { TimerGroup } from '../../async/timer-group.ts'
import { runnerOf } from '../../config/package-runner.ts'
import type { ServerConfig } from '../../config/server-config.ts'
import type { ClientBridge } from '../connection/client-bridge.ts'
import { type ConnectTarget, connectClient } from '../connection/connect-client.ts'
import { type Connection, createClient, type ServerEvents } from '../connection/create-client.ts'
import { explainPinned, negotiationFor } from '../connection/pinned-protocol.ts'
import { abortedStart, StartError, startError } from '../connection/start-error.ts'
import { StartLimit } from '../connection/start-limit.ts'
import { removePartialInstall, removeStaleInstall } from './npx-cache.ts'

export interface StartOptions extends Omit<ConnectTarget, 'target'> {
  readonly config: ServerConfig
  /** The protocol era of its last run. */
  readonly knownEra: 'legacy' | 'modern' | undefined
  readonly bridge: ClientBridge | undefined
  readonly events: ServerEvents
  /** Aborts the start. */
  readonly closing: AbortSignal
  /** The name of the start timeout in error messages. */
  readonly timeoutName: string
  /** Called repeatedly while the server is being downloaded. */
  onDownload(message: string): void
  /** Runs as part of the start, which fails if it rejects. */
  prepare(connection: Connection, signal: AbortSignal): Promise<void>
}

/** How long a process may take to reject `server/discover` before it counts as one of the 2025 era. */
const probeMs = 5_000

/** A download continues after its callers have timed out, up to this limit. */
const downloadLimitMs = 600_000
/** When Curfew exits, a download gets this long to finish. */
const downloadGraceMs = 5_000
const firstReportMs = 10_000
const reportEveryMs = 30_000

/** Starts or reaches a server within its `startTimeout`. Rejects with a user-facing message. */
export async function startServer(start: StartOptions): Promise<Connection> {
  const { clock, config, closing, timeoutName } = start
  const runner = runnerOf(config)
  // A server that ran before is more likely to hang than to be downloading.
  const isDownload = runner !== null && start.knownEra === undefined
  const limit = isDownload
    ? new StartLimit(clock, Math.max(config.startTimeoutMs, downloadLimitMs), `the limit for ${runner}`)
    : new StartLimit(clock, config.startTimeoutMs, timeoutName)
  const timers = new TimerGroup(clock)
  const end = (): void => limit.abort(new Error('Curfew is exiting'))
  const stop = isDownload ? () => timers.set(downloadGraceMs, end) : end
  closing.addEventListener('abort', stop, { once: true })
  if (runner !== null) reportDownload(start, runner, timers)
  try {
    if (runner === 'npx') await removeStaleInstall(start.values.args, start.values.named).catch(() => {})
    const connection = await connectInEitherEra(start, limit)
    await prepare(start, connection, limit.signal)
    return connection
  } catch (error) {
    if (!limit.signal.aborted) throw error
    await cleanUp(start, runner)
    throw abortedStart(limit.signal.reason, error)
  } finally {
    limit.end()
    timers.end()
    closing.removeEventListener('abort', stop)
  }
}

function reportDownload(
  { clock, config, onDownload }: StartOptions,
  runner: string,
  timers: TimerGroup,
): void {
  const startedAt = clock.now()
  const report = (): void => {
    const elapsed = formatDuration(Math.round((clock.now() - startedAt) / 1_000) * 1_000)
    onDownload(
      `the MCP server ${config.name} is still being downloaded and started by ${runner} (${elapsed})`,
    )
    timers.set(reportEveryMs, report)
  }
  timers.set(firstReportMs, report)
}

/** Only npx leaves a broken cache; the other runners move complete downloads into place. */
async function cleanUp({ values, clock }: StartOptions, runner: string | null): Promise<void> {
  if (runner === 'npx') await removePartialInstall(values.args, values.named, clock).catch(() => {})
}

/** A server of the 2025 era may exit at the first message that it does not know; then it is started again. */
async function connectInEitherEra(start: StartOptions, limit: StartLimit): Promise<Connection> {
  const { config } = start
  try {
    return await connect(start, config.protocol === null && start.knownEra === 'legacy', limit)
  } catch (error) {
    if (config.protocol !== null) throw explainPinned(error, config)
    if (start.knownEra === 'legacy' || !exitedDuringProbe(error) || limit.signal.aborted) throw error
    return await connect(start, true, limit)
  }
}

async function connect(start: StartOptions, legacy: boolean, limit: StartLimit): Promise<Connection> {
  const { config, values, bridge, events, auth, redactor, onStderr, clock } = start
  const { target, startTimeoutMs } = config
  // A silent process may be an old server. A silent remote server is slow, or a person is signing in.
  const isAmbiguous = target.kind === 'stdio' && config.protocol === null
  const probeTimeoutMs = isAmbiguous ? Math.min(probeMs, startTimeoutMs / 2) : noSdkTimeout
  const client = createClient(bridge, events, negotiationFor(config, probeTimeoutMs))
  const unsubscribe = auth?.onAsking((asking) => (asking ? limit.pause() : limit.resume()))
  const prior = legacy ? { prior: { kind: 'legacy' as const } } : {}
  try {
    return await connectClient(
      client,
      { target, values, auth, redactor, onStderr, clock },
      { signal: limit.signal, timeout: noSdkTimeout, ...prior },
    )
  } finally {
    unsubscribe?.()
  }
}

async function prepare(start: StartOptions, connection: Connection, signal: AbortSignal): Promise<void> {
  try {
    await start.prepare(connection, signal)
    signal.throwIfAborted()
    if (connection.client.transport === undefined) throw new Error('it closed the connection')
  } catch (error) {
    await connection.transport.close().catch(() => {})
    const ending = connection.ending()
    throw ending === null ? error : startError(error, ending)
  }
}

function exitedDuringProbe(error: unknown): boolean {
  if (!(error instanceof StartError) || !error.hasExited) return false
  return error.cause instanceof SdkError && error.cause.code === SdkErrorCode.EraNegotiationFailed
}
