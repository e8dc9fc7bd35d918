import { type CallFailure, type CallResult, type CallSuccess, ToolTimeoutError } from '@curfew/core'
import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { McpRefusal, McpToolError } from '../client/upstream-error.ts'

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
}

/** The answer to `tools/call`. Throws what a server refused by the rules of the protocol. */
export function toCallToolResult(result: CallResult, isUpstream: boolean): CallToolResult {
  if (result.status === 'success') return isUpstream ? passOn(result) : ownResult(result)
  const { cause } = result
  if (cause instanceof McpRefusal) throw new ProtocolError(cause.rpcCode, cause.rpcMessage, cause.data)
  if (cause instanceof McpToolError) return withNotices(cause.result, result.notices)
  return failure(result)
}

/** The answer to any other request that a server was asked. */
export function toRequestResult(result: CallResult): Record<string, unknown> {
  if (result.status === 'success') return result.value as Record<string, unknown>
  const { cause, code, message } = result
  if (cause instanceof McpRefusal) throw new ProtocolError(cause.rpcCode, cause.rpcMessage, cause.data)
  throw new ProtocolError(ProtocolErrorCode.InternalError, `${code}: ${message}`, failureDetails(result))
}

function passOn({ value, notices }: CallSuccess): CallToolResult {
  return withNotices(value as CallToolResult, notices)
}

function ownResult({ content }: CallSuccess): CallToolResult {
  return { content: [{ type: 'text', text: content }] }
}

function failure(result: CallFailure): CallToolResult {
  const { content } = result
  return {
    isError: true,
    content: [{ type: 'text', text: content }],
    structuredContent: { ...failureDetails(result) },
  }
}

function failureDetails(result: CallFailure): FailureDetails {
  const { code, message, cause, timeoutMs, durationMs, timeoutSource, output, retrySafe } = result
  // The limit that ended it, which may be the one for silence.
  const { limitMs, source } =
    cause instanceof ToolTimeoutError ? cause : { limitMs: timeoutMs, source: timeoutSource }
  return {
    code,
    message,
    limitMs,
    elapsedMs: Math.round(durationMs),
    source,
    partialOutput: output,
    retrySafe,
  }
}

function withNotices(result: CallToolResult, notices: readonly string[]): CallToolResult {
  if (notices.length === 0) return result
  const added = notices.map((notice) => ({ type: 'text' as const, text: `[curfew] ${notice}` }))
  return { ...result, content: [...(result.content ?? []), ...added] }
}
