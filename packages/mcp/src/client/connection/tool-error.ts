import { CurfewError } from '@curfew/core/internal'
import type { CallToolResult } from '@modelcontextprotocol/client'
import { textOfResult } from './result-text.ts'

/** The server's response to a failed call, in `details` of the call's result. */
export interface ServerAnswer {
  /** The result of a tool that reported an error. */
  readonly mcpResult?: CallToolResult
  /** A JSON-RPC error. */
  readonly mcpError?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** Converts the result of a tool that reported an error. */
export function toolError(mcpResult: CallToolResult): CurfewError {
  const details: ServerAnswer = { mcpResult }
  return new CurfewError('TOOL_FAILED', textOfResult(mcpResult) || 'the tool failed without a message', {
    details,
  })
}
