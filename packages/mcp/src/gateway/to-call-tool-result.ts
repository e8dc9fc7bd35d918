import type { CallResult } from '@curfew/core'
import { type CallFailure, contentWithoutNotices, noticeText } from '@curfew/core/internal'
import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { ServerAnswer } from '../client/connection/to-upstream-error.ts'
import type { Upstream } from '../client/upstream.ts'
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

/** Where the details of a failure are, if the tool lists an output schema, which they would violate. */
const failureKey = 'curfew/error'

export interface ToolResultOptions {
  readonly entry: CatalogEntry
  /** Clients were shown a schema for `structuredContent`, and check it, for errors too. */
  readonly listsOutputSchema: boolean
  readonly maxContentLength: number
}

/** The answer to `tools/call`. Throws what a server refused by the rules of the protocol. */
export function toCallToolResult(
  result: CallResult,
  { entry: { tool, upstream }, listsOutputSchema, maxContentLength }: ToolResultOptions,
): CallToolResult {
  if (result.status === 'success')
    return upstream === null
      ? ownResult(result)
      : passOn(result.value as CallToolResult, result, maxContentLength)
  const { mcpResult } = serverAnswer(result)
  if (mcpResult !== undefined) return passOn(mcpResult, result, maxContentLength)
  const details = { ...failureDetails(result, tool.idleTimeoutMs) }
  return {
    isError: true,
    ...(listsOutputSchema ? { _meta: { [failureKey]: details } } : { structuredContent: details }),
    ...ownResult(result),
  }
}

/** The answer to any other request that a server was asked. */
export function toRequestResult(result: CallResult, { config }: Upstream): Record<string, unknown> {
  if (result.status === 'success') return result.value as Record<string, unknown>
  serverAnswer(result)
  const { code, message } = result
  const details = failureDetails(result, config.idleTimeoutMs ?? null)
  throw new ProtocolError(ProtocolErrorCode.InternalError, `${code}: ${message}`, details)
}

/** What its server answered, if the call got that far. Throws a JSON-RPC error as the server sent it. */
function serverAnswer({ details }: CallFailure): ServerAnswer {
  const answer = (details ?? {}) as ServerAnswer
  const { code, message, data } = answer.mcpError ?? {}
  // A secret that was hidden may have made something else of them.
  if (typeof code === 'number' && typeof message === 'string') throw new ProtocolError(code, message, data)
  return answer
}

/** As it is; or, if it has more text than a model should get, with as much of it, and where the rest is. */
function passOn(result: CallToolResult, call: CallResult, maxContentLength: number): CallToolResult {
  const blocks = Array.isArray(result.content) ? result.content : []
  const length = blocks.reduce((sum, block) => sum + (block.type === 'text' ? block.text.length : 0), 0)
  if (length <= maxContentLength) return withNotices(result, call.notices)
  const others = blocks.filter(({ type }) => type !== 'text')
  const text = contentWithoutNotices(call)
  return withNotices({ ...result, content: [{ type: 'text', text }, ...others] }, call.notices)
}

/** What the runtime wrote for the model. */
function ownResult(result: CallResult): CallToolResult {
  return withNotices({ content: [{ type: 'text', text: contentWithoutNotices(result) }] }, result.notices)
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

/** Each in a block of its own: the text before it may be JSON. */
export function withNotices(result: CallToolResult, notices: readonly string[]): CallToolResult {
  if (notices.length === 0) return result
  const added = notices.map((notice) => ({ type: 'text' as const, text: noticeText(notice) }))
  return { ...result, content: [...(result.content ?? []), ...added] }
}
