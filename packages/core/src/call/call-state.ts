import type { TimeoutSource } from '../deadline/resolve-timeout.ts'
import type { CallFailure, CallSuccess } from './call-result.ts'
import type { ApprovalQuestion } from './question.ts'

/** A call's state and its data. */
export type CallState =
  | { readonly status: 'validating' }
  | { readonly status: 'awaiting_approval'; readonly question: ApprovalQuestion }
  | { readonly status: 'scheduled' }
  | { readonly status: 'executing'; readonly timeoutMs: number; readonly timeoutSource: TimeoutSource }
  | { readonly status: 'success'; readonly result: CallSuccess }
  | { readonly status: 'error'; readonly result: CallFailure }
  | { readonly status: 'cancelled'; readonly result: CallFailure }

export type CallStatus = CallState['status']

/** Every legal transition. */
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

/** An illegal transition is a bug in the runtime; neither a tool nor a caller can cause one. */
export function assertEdge(from: CallStatus, to: CallStatus): void {
  if (!callEdges[from].includes(to)) throw new Error(`illegal transition: ${from} -> ${to}`)
}
