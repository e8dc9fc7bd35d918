import type { ModelMessage } from 'ai'

/** Whether the last message approves this call, which an earlier generation requested. */
export function isApprovedInHistory(messages: readonly ModelMessage[], toolCallId: string): boolean {
  const last = messages.at(-1)
  if (last?.role !== 'tool') return false
  const approvals = new Set<string>()
  for (const part of last.content)
    if (part.type === 'tool-approval-response' && part.approved) approvals.add(part.approvalId)
  return messages.some(
    ({ role, content }) =>
      role === 'assistant' &&
      typeof content !== 'string' &&
      content.some(
        (part) =>
          part.type === 'tool-approval-request' &&
          part.toolCallId === toolCallId &&
          approvals.has(part.approvalId),
      ),
  )
}
