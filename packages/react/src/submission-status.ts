import type { AgentSnapshot } from '@curfew/agent'

export type SubmissionStatus =
  /** The last message or results have not been sent to the model. */
  | 'unsubmitted'
  /** They have been sent, and the response is not complete. */
  | 'submitted'
  /** The model has responded, or there is nothing to respond to. */
  | 'answered'

/** Whether the model knows the end of the conversation. Usable as `useConversation(submissionStatus)`. */
export function submissionStatus({
  items,
  submittedItemId,
}: Pick<AgentSnapshot, 'items' | 'submittedItemId'>): SubmissionStatus {
  const last = items.at(-1)
  if (last === undefined || last.type === 'assistant') return 'answered'
  return last.id > submittedItemId ? 'unsubmitted' : 'submitted'
}
