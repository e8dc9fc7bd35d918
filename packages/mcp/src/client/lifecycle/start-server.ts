import { formatDuration } from '@curfew/core'
import { type Clock, messageOf, type Redactor } from '@curfew/core/internal'
import { noSdkTimeout } from '../../async/no-sdk-timeout.ts'
import { TimerGroup } from '../../async/timer-group.ts'
import { runnerOf } from '../../config/package-runner.ts'
import type { ServerConfig } from '../../config/server-config.ts'
import type { ClientBridge } from '../connection/client-bridge.ts'
import { connectClient } from '../connection/connect-client.ts'
import { type Connection, createClient, type ServerEvents } from '../connection/create-client.ts'
import type { FilledValues } from '../connection/server-secrets.ts'
import { StartLimit } from '../connection/start-limit.ts'
import type { OAuthSession } from '../oauth/oauth-session.ts'
import { removePartialInstall, removeStaleInstall } from './npx-cache.ts'

export interface Start {
  readonly config: ServerConfig
  readonly values: FilledValues
  /** What it spoke when it last ran. */
  readonly knownEra: 'legacy' | 'modern' | undefined
  readonly bridge: ClientBridge | undefined
  readonly news: ServerEvents
  readonly auth: OAuthSession | undefined
  /** Knows the secrets that it is given. */
  readonly redactor: Redactor
  readonly clock: Clock
  /** Ends the start. */
  readonly closing: AbortSignal
  /** Called repeatedly while the server is being downloaded. */
  onDownload(message: string): void
  /** What else belongs to a start: without it the server is of no use. */
  prepare(connection: Connection, signal: AbortSignal): Promise<void>
}

/** How long a server may take to say that it knows nothing of `server/discover`. */
const probeMs = 5_000

/** A download continues when no caller waits any longer, up to this limit. */
const downloadLimitMs = 600_000
/** When Curfew ends, a download gets this long to finish. */
const downloadGraceMs = 5_000
const firstReportMs = 10_000
const reportEveryMs = 30_000

/** Starts a server, or goes to it, and shakes hands, within its `startTimeout`. Rejects with a reason for people. */
export async function startServer(start: Start): Promise<Connection> {
  const { clock, config, closing } = start
  const runner = runnerOf(config)
  // A server that ran before is more likely to hang than to be downloading.
  const isDownload = runner !== null && start.knownEra === undefined
  const limit = isDownload
    ? new StartLimit(clock, Math.max(config.startTimeoutMs, downloadLimitMs), `the limit for ${runner}`)
    : new StartLimit(clock, config.startTimeoutMs)
  const timers = new TimerGroup(clock)
  const end = (): void => limit.abort(new Error('Curfew is ending'))
  const stop = isDownload ? () => timers.set(downloadGraceMs, end) : end
  closing.addEventListener('abort', stop, { once: true })
  if (runner !== null) reportDownload(start, runner, timers)
  try {
    if (runner === 'npx') await removeStaleInstall(start.values.args, start.values.named).catch(() => {})
    const connection = await handshake(start, limit)
    await prepare(start, connection, limit.signal)
    return connection
  } catch (error) {
    const { aborted, reason } = limit.signal
    if (aborted) await cleanUp(start, runner)
    throw aborted ? withLastWords(reason, error) : error
  } finally {
    limit.end()
    timers.end()
    closing.removeEventListener('abort', stop)
  }
}

function reportDownload({ clock, config, onDownload }: Start, runner: string, timers: TimerGroup): void {
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
async function cleanUp({ values, clock }: Start, runner: string | null): Promise<void> {
  if (runner === 'npx') await removePartialInstall(values.args, values.named, clock).catch(() => {})
}

/** A server of before 2026 may end at the first message that it does not know: then it is started once more. */
async function handshake(start: Start, limit: StartLimit): Promise<Connection> {
  const { knownEra, config } = start
  try {
    return await attempt(start, knownEra === 'legacy', limit)
  } catch (error) {
    const isProbe = knownEra !== 'legacy' && config.target.kind === 'stdio' && diedDuringProbe(error)
    if (!isProbe || limit.signal.aborted) throw error
    return await attempt(start, true, limit)
  }
}

async function attempt(start: Start, legacy: boolean, limit: StartLimit): Promise<Connection> {
  const { config, values, bridge, news, auth, redactor, clock } = start
  const { target, startTimeoutMs } = config
  // A process that is silent may be an old one. A remote server is slow, or a person signs in.
  const patience = target.kind === 'stdio' ? Math.min(probeMs, startTimeoutMs / 2) : noSdkTimeout
  const client = createClient(bridge, news, patience)
  // While a person signs in, nobody is late.
  const unheard = auth?.onAsking((asking) => (asking ? limit.pause() : limit.resume()))
  const prior = legacy ? { prior: { kind: 'legacy' as const } } : {}
  try {
    return await connectClient(
      client,
      { target, values, auth, redactor, clock },
      { signal: limit.signal, timeout: noSdkTimeout, ...prior },
    )
  } finally {
    unheard?.()
  }
}

async function prepare(start: Start, connection: Connection, signal: AbortSignal): Promise<void> {
  try {
    await start.prepare(connection, signal)
    // That may have taken a while.
    signal.throwIfAborted()
    if (connection.client.transport === undefined) throw new Error('it closed the connection')
  } catch (error) {
    await connection.transport.close().catch(() => {})
    const how = connection.ending()
    throw how === null ? error : new Error(`${messageOf(error)} (${how})`, { cause: error })
  }
}

/** The SDK takes it for an answer; only that the process is gone tells. */
function diedDuringProbe(error: unknown): boolean {
  return /closed during the server\/discover probe/.test(messageOf(error))
}

function withLastWords(reason: unknown, error: unknown): Error {
  const said = /; it (?:said|printed): .*/s.exec(messageOf(error))?.[0].replace(/\)$/, '') ?? ''
  return new Error(`${messageOf(reason)}${said}`)
}
