import type { TimeoutSource } from '../deadline/resolve-timeout.ts'
import type { ApprovalQuestion } from '../policy/question.ts'
import type { CallFailure, CallSuccess } from './call-result.ts'

/** Where a call stands, with the data that only this state has. */
export type CallState =
  | { readonly status: 'validating' }
  | { readonly status: 'awaiting_approval'; readonly question: ApprovalQuestion }
  | { readonly status: 'scheduled' }
  | { readonly status: 'executing'; readonly timeoutMs: number; readonly timeoutSource: TimeoutSource }
  | { readonly status: 'success'; readonly result: CallSuccess }
  | { readonly status: 'error'; readonly result: CallFailure }
  | { readonly status: 'cancelled'; readonly result: CallFailure }

export type CallStatus = CallState['status']

/** Every legal step. Whatever is not here does not happen. */
export const callEdges: Readonly<Record<CallStatus, readonly CallStatus[]>> = {
  validating: ['awaiting_approval', 'scheduled', 'error', 'cancelled'],
  awaiting_approval: ['scheduled', 'error', 'cancelled'],
  scheduled: ['executing', 'error', 'cancelled'],
  executing: ['success', 'error', 'cancelled'],
  success: [],
  error: [],
  cancelled: [],
}

export function isTerminal(status: CallStatus): boolean {
  return callEdges[status].length === 0
}

/** A step that the table forbids is a bug in the runtime, never something a tool or a caller can cause. */
export function assertEdge(from: CallStatus, to: CallStatus): void {
  if (!callEdges[from].includes(to)) throw new Error(`illegal transition: ${from} -> ${to}`)
}
