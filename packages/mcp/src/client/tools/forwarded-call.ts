import type { ToolContext } from '@curfew/core'
import type { ClientCapabilities, LoggingLevel, Progress } from '@modelcontextprotocol/client'
import { clientCapabilitiesKey, clientInfoKey, logLevelKey } from '../../wire/meta-keys.ts'
import type { BridgedMethod } from '../connection/client-bridge.ts'
import type { ServerTask } from '../tasks/server-task.ts'
import { tasksExtension } from '../tasks/tasks-extension.ts'
import type { Upstream } from '../upstream.ts'

/** The client's request behind a call of the gateway. */
export interface ForwardedCall {
  /** The client asked for a task, so a tool that may run as a task does. */
  readonly asTask: boolean
  onProgress(progress: Progress): void
  /** The server runs the call as this task. */
  onTask(task: Pick<ServerTask, 'id' | 'message'>): void
  /** Asks the client on behalf of a server. */
  askFor(
    connection: Upstream,
    method: BridgedMethod,
    params: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>>
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

/** The parameters for a server; a 2025 server gets only `_meta`. */
export function forwardedParams(meta: ToolContext['meta'], era: 'legacy' | 'modern'): ForwardedParams {
  const request = meta.mcpRequest as ForwardedRequest | undefined
  if (request === undefined) return {}
  const { _meta, capabilities, clientInfo, logLevel, ...answers } = request
  if (era === 'legacy') return { _meta }
  const client = {
    [clientCapabilitiesKey]: capabilities,
    ...(clientInfo !== undefined && { [clientInfoKey]: clientInfo }),
    ...(logLevel !== undefined && { [logLevelKey]: logLevel }),
  }
  return { ...answers, _meta: { ..._meta, ...client } }
}

/** Declares to a 2026 server that it may run the call as a task: we wait for its result if the client cannot. */
export function declareTasks(meta: ToolContext['meta'], own: ClientCapabilities): Record<string, unknown> {
  const request = meta.mcpRequest as ForwardedRequest | undefined
  const capabilities = request?.capabilities ?? own
  const extensions = { ...capabilities.extensions, [tasksExtension]: {} }
  return { [clientCapabilitiesKey]: { ...capabilities, extensions } }
}
