import type { SessionUpdate } from '@agentclientprotocol/sdk'
import type { HistoryItem } from '@curfew/agent'
import { textContent, titleOf, toolKind } from './call-updates.ts'

/** The updates that show an item of a loaded conversation in an editor. */
export function replayItem(item: HistoryItem): SessionUpdate[] {
  switch (item.type) {
    case 'user':
      return item.parts.map((part) => ({
        sessionUpdate: 'user_message_chunk',
        content: {
          type: 'text',
          text: part.type === 'text' ? part.text : `[${part.name ?? part.mediaType}]`,
        },
      }))
    case 'assistant':
      return item.parts.map((part): SessionUpdate => {
        if (part.type !== 'call') {
          const content = { type: 'text', text: part.text } as const
          return part.type === 'text'
            ? { sessionUpdate: 'agent_message_chunk', content }
            : { sessionUpdate: 'agent_thought_chunk', content }
        }
        return {
          sessionUpdate: 'tool_call',
          toolCallId: savedCallId(item.id, part.callId),
          title: titleOf(part.name, part.input),
          kind: toolKind(part.name),
          status: 'pending',
          rawInput: part.input,
        }
      })
    case 'results':
      return item.results.map(({ callId, status, content }) => ({
        sessionUpdate: 'tool_call_update',
        // The results follow the item with their calls.
        toolCallId: savedCallId(item.id - 1, callId),
        status: status === 'success' ? 'completed' : 'failed',
        content: [textContent(content)],
      }))
  }
}

/** Not the id of a live call; the ids that models choose may repeat. */
function savedCallId(item: number, callId: string): string {
  return `saved-${item}-${callId}`
}
