import type { CallResult } from '@curfew/core'

/** The exit code for a call that a person typed, with `curfew call` or `/tool`. */
export function exitCodeOfCall(result: CallResult): number {
  if (result.status === 'success') return 0
  switch (result.code) {
    case 'TOOL_NOT_FOUND':
    case 'INVALID_PARAMS':
      return 2
    case 'TOOL_TIMEOUT':
    case 'TOOL_IDLE_TIMEOUT':
      return 124
    case 'CANCELLED':
      return 130
    default:
      return 1
  }
}
