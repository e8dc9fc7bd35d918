import type { CallResult } from '@curfew/core'
import {
  type CallFailure,
  type CallSuccess,
  contentWithoutNotices,
  modelText,
  noticeText,
} from '@curfew/core/internal'
import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { ServerAnswer } from '../client/connection/tool-error.ts'
import type { Upstream } from '../client/upstream.ts'
import type { CatalogEntry } from './catalog.ts'
import { toContentBlock } from './to-content-block.ts'

/** Describes a call that failed without a result from its tool. */
interface FailureDetails {
  readonly code: string
  readonly message: string
  readonly limitMs: number | null
  readonly elapsedMs: number
  /** Where the limit was set. */
  readonly source: string | null
  readonly partialOutput: string
  readonly retrySafe: boolean
  /** The name of the secret that the call needs. */
  readonly key?: string
}

/** The key in `_meta` for the details of a failure, if they would violate the tool's output schema. */
const failureKey = 'curfew/error'

export interface ToolResultOptions {
  readonly entry: CatalogEntry
  /** Clients validate `structuredContent` against the listed schema, even for errors. */
  readonly listsOutputSchema: boolean
  readonly maxContentLength: number
}

/** The result of `tools/call`. Throws if the server returned a JSON-RPC error. */
export function toCallToolResult(
  result: CallResult,
  { entry: { tool, upstream }, listsOutputSchema, maxContentLength }: ToolResultOptions,
): CallToolResult {
  if (result.status === 'success')
    return upstream === null
      ? ownResult(result)
      : limitText(result.value as CallToolResult, result, maxContentLength)
  const { mcpResult } = serverAnswer(result)
  if (mcpResult !== undefined) return limitText(mcpResult, result, maxContentLength)
  const details = { ...failureDetails(result, tool.idleTimeoutMs) }
  return {
    isError: true,
    ...(listsOutputSchema ? { _meta: { [failureKey]: details } } : { structuredContent: details }),
    ...textResult(result),
  }
}

/** The result of any other forwarded request. */
export function toRequestResult(result: CallResult, { config }: Upstream): Record<string, unknown> {
  if (result.status === 'success') return result.value as Record<string, unknown>
  serverAnswer(result)
  const { code, message } = result
  const details = failureDetails(result, config.idleTimeoutMs ?? null)
  throw new ProtocolError(ProtocolErrorCode.InternalError, `${code}: ${message}`, details)
}

/** What the server answered, if it did. Rethrows a JSON-RPC error of the server, which has only its message for notices. */
function serverAnswer({ details, notices }: CallFailure): ServerAnswer {
  const answer = (details ?? {}) as ServerAnswer
  const { code, message, data } = answer.mcpError ?? {}
  // Redaction may have changed their types.
  if (typeof code === 'number' && typeof message === 'string')
    throw new ProtocolError(code, [message, ...notices.map(noticeText)].join('\n'), data)
  return answer
}

/** Replaces text beyond the limit with the runtime's truncated text, which names the file with the full text. */
function limitText(result: CallToolResult, call: CallResult, maxContentLength: number): CallToolResult {
  const blocks = Array.isArray(result.content) ? result.content : []
  const texts = blocks.filter((block) => block.type === 'text').map(({ text }) => text)
  const length = texts.reduce((sum, text) => sum + text.length, 0)
  if (length <= maxContentLength)
    return withNotices(
      texts.every((text) => modelText(text) === text) ? result : forModel(result),
      call.notices,
    )
  const others = blocks.filter(({ type }) => type !== 'text')
  const text = contentWithoutNotices(call)
  return withNotices({ ...result, content: [{ type: 'text', text }, ...others] }, call.notices)
}

/** Providers reject every further request of a conversation that contains half of a surrogate pair. */
function forModel(result: CallToolResult): CallToolResult {
  const content = result.content.map((block) =>
    block.type === 'text' ? { ...block, text: modelText(block.text) } : block,
  )
  return { ...result, content }
}

/** The result of a tool of the gateway. */
function ownResult(result: CallSuccess): CallToolResult {
  const { parts, notices } = result
  return parts === undefined
    ? textResult(result)
    : withNotices({ content: parts.map(toContentBlock) }, notices)
}

/** The runtime's own text for the model. */
function textResult(result: CallResult): CallToolResult {
  return withNotices({ content: [{ type: 'text', text: contentWithoutNotices(result) }] }, result.notices)
}

function failureDetails(result: CallFailure, idleTimeoutMs: number | null): FailureDetails {
  const { code, message, timeoutMs, durationMs, timeoutSource, output, retrySafe, key } = result
  return {
    code,
    message,
    // The limit that ended it.
    limitMs: code === 'TOOL_IDLE_TIMEOUT' ? idleTimeoutMs : timeoutMs,
    elapsedMs: Math.round(durationMs),
    source: timeoutSource,
    partialOutput: output,
    retrySafe,
    ...(key !== undefined && { key }),
  }
}

/** Adds each notice as its own block, because the text before it may be JSON. */
export function withNotices(result: CallToolResult, notices: readonly string[]): CallToolResult {
  if (notices.length === 0) return result
  const added = notices.map((notice) => ({ type: 'text' as const, text: noticeText(notice) }))
  return { ...result, content: [...(result.content ?? []), ...added] }
}
