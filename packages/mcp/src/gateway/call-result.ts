import type { CallFailure, CallResult, CallSuccess } from '@curfew/core'
import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { Upstream } from '../client/upstream.ts'
import { McpRefusal, McpToolError } from '../client/upstream-error.ts'
import type { CatalogEntry } from './catalog.ts'

/** What a client is told of a call that did not come to a result of its own. */
interface FailureDetails {
  readonly code: string
  readonly message: string
  readonly limitMs: number | null
  readonly elapsedMs: number
  /** Who set the limit. */
  readonly source: string | null
  readonly partialOutput: string
  readonly retrySafe: boolean
  /** The name of the secret that is needed, where that is the reason. */
  readonly key?: string
}

/** The answer to `tools/call`. Throws what a server refused by the rules of the protocol. */
export function toCallToolResult(
  result: CallResult,
  { tool, upstream }: CatalogEntry,
  maxContentLength: number,
): CallToolResult {
  if (result.status === 'success')
    return upstream === null ? ownResult(result) : passOn(result, maxContentLength)
  const { cause } = result
  if (cause instanceof McpRefusal) throw new ProtocolError(cause.rpcCode, cause.rpcMessage, cause.data)
  if (cause instanceof McpToolError) return withNotices(cause.result, result.notices)
  return failure(result, tool.idleTimeoutMs)
}

/** The answer to any other request that a server was asked. */
export function toRequestResult(result: CallResult, { config }: Upstream): Record<string, unknown> {
  if (result.status === 'success') return result.value as Record<string, unknown>
  const { cause, code, message } = result
  if (cause instanceof McpRefusal) throw new ProtocolError(cause.rpcCode, cause.rpcMessage, cause.data)
  const details = failureDetails(result, config.idleTimeoutMs ?? null)
  throw new ProtocolError(ProtocolErrorCode.InternalError, `${code}: ${message}`, details)
}

/** As it is; or, if it has more text than a model should get, with as much of it, and where the rest is. */
function passOn({ value, notices, content }: CallSuccess, maxContentLength: number): CallToolResult {
  const result = value as CallToolResult
  const blocks = Array.isArray(result.content) ? result.content : []
  const length = blocks.reduce((sum, block) => sum + (block.type === 'text' ? block.text.length : 0), 0)
  if (length <= maxContentLength) return withNotices(result, notices)
  const others = blocks.filter(({ type }) => type !== 'text')
  return { ...result, content: [{ type: 'text', text: content }, ...others] }
}

function ownResult({ content }: CallSuccess): CallToolResult {
  return { content: [{ type: 'text', text: content }] }
}

function failure(result: CallFailure, idleTimeoutMs: number | null): CallToolResult {
  const { content } = result
  return {
    isError: true,
    content: [{ type: 'text', text: content }],
    structuredContent: { ...failureDetails(result, idleTimeoutMs) },
  }
}

function failureDetails(result: CallFailure, idleTimeoutMs: number | null): FailureDetails {
  const { code, message, timeoutMs, durationMs, timeoutSource, output, retrySafe, key } = result
  return {
    code,
    message,
    // The limit that ended it, which may be the one for silence.
    limitMs: code === 'TOOL_IDLE_TIMEOUT' ? idleTimeoutMs : timeoutMs,
    elapsedMs: Math.round(durationMs),
    source: timeoutSource,
    partialOutput: output,
    retrySafe,
    ...(key !== undefined && { key }),
  }
}

function withNotices(result: CallToolResult, notices: readonly string[]): CallToolResult {
  if (notices.length === 0) return result
  const added = notices.map((notice) => ({ type: 'text' as const, text: `[curfew] ${notice}` }))
  return { ...result, content: [...(result.content ?? []), ...added] }
}
