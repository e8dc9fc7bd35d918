import type { ToolContext } from '@curfew/core'
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  LOG_LEVEL_META_KEY,
  type LoggingLevel,
  type Progress,
} from '@modelcontextprotocol/client'
import type { Upstream } from '../upstream.ts'

/** The client's request behind a call of the gateway. */
export interface ForwardedCall {
  onProgress(progress: Progress): void
  /** Runs `send` on the connection for this client: some servers need one per client. */
  withConnection<T>(
    shared: Upstream,
    context: ToolContext,
    send: (connection: Upstream) => Promise<T>,
  ): Promise<T>
}

/** The parts of the client's request that a server gets in addition to the arguments, in the call's `meta`. */
export interface ForwardedRequest {
  /** Without the progress token, which is valid only on the client's connection. */
  readonly _meta: Readonly<Record<string, unknown>>
  readonly capabilities: ClientCapabilities
  readonly clientInfo?: unknown
  readonly logLevel?: LoggingLevel
  /** The client's answers to the server's questions. */
  readonly inputResponses?: unknown
  readonly requestState?: string
}

interface ForwardedParams {
  readonly _meta?: Readonly<Record<string, unknown>>
  readonly inputResponses?: unknown
  readonly requestState?: string
}

export function forwardedMeta(mcpRequest: ForwardedRequest): ToolContext['meta'] {
  return { mcpRequest }
}

/** The parameters for a server; a 2025 server gets only `_meta`. */
export function forwardedParams(meta: ToolContext['meta'], era: 'legacy' | 'modern'): ForwardedParams {
  const request = meta.mcpRequest as ForwardedRequest | undefined
  if (request === undefined) return {}
  const { _meta, capabilities, clientInfo, logLevel, ...answers } = request
  if (era === 'legacy') return { _meta }
  const client = {
    [CLIENT_CAPABILITIES_META_KEY]: capabilities,
    ...(clientInfo !== undefined && { [CLIENT_INFO_META_KEY]: clientInfo }),
    ...(logLevel !== undefined && { [LOG_LEVEL_META_KEY]: logLevel }),
  }
  return { ...answers, _meta: { ..._meta, ...client } }
}
