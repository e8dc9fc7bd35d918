import { messageOf } from '@curfew/core/internal'
import { type ClientOptions, SdkError, SdkErrorCode } from '@modelcontextprotocol/client'
import type { ServerConfig } from '../../config/server-config.ts'
import { formatEnding } from '../transport/connection-ending.ts'
import { StartError } from './start-error.ts'

/** How the SDK's client agrees on a protocol version: with a pinned one, nothing else is offered, probed or accepted. */
export function negotiationFor(
  { protocol }: Pick<ServerConfig, 'protocol'>,
  probeMs: number,
): Pick<ClientOptions, 'versionNegotiation' | 'supportedProtocolVersions'> {
  const probe = { timeoutMs: probeMs }
  if (protocol === null) return { versionNegotiation: { mode: 'auto', probe } }
  if (protocol === '2026-07-28') return { versionNegotiation: { mode: { pin: protocol }, probe } }
  return { versionNegotiation: { mode: 'legacy' }, supportedProtocolVersions: [protocol] }
}

/** Names the setting in an error that comes from a pinned version; returns other errors unchanged. */
export function explainPinned(thrown: unknown, { name, protocol }: ServerConfig): unknown {
  if (protocol === null) return thrown
  const error = thrown instanceof StartError ? thrown.cause : thrown
  const answered = /protocol version is not supported: (.{1,40})/.exec(messageOf(error))?.[1]
  const isRejected = error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed
  if (answered === undefined && !isRejected) return thrown
  const { ending = null, hasExited = false } = thrown instanceof StartError ? thrown : {}
  // The SDK closes the transport of every server that it rejects, so `hasExited` does not distinguish them.
  const exited = isRejected && /connection closed/.test(error.message) && ending !== null
  const got = answered === undefined ? 'which the server does not offer' : `got ${JSON.stringify(answered)}`
  const reason = exited
    ? `${formatEnding(ending)}; mcpServers.${name}.protocol is "${protocol}"`
    : `mcpServers.${name}.protocol: expected protocol version "${protocol}", ${got}; remove "protocol" to negotiate the version`
  return new StartError(reason, { cause: thrown, ending, hasExited })
}
