import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { HistoryItem } from '../history/history-item.ts'

/** Stand-in until the complete version is merged. */
export function toPrompt(system: string | undefined, items: readonly HistoryItem[]): LanguageModelV4Prompt {
  const messages: LanguageModelV4Message[] = items.flatMap((item): LanguageModelV4Message[] => {
    if (item.type === 'user')
      return [
        {
          role: 'user',
          content: item.parts.flatMap((part) =>
            part.type === 'text' ? [{ type: 'text' as const, text: part.text }] : [],
          ),
        },
      ]
    if (item.type === 'assistant')
      return [
        {
          role: 'assistant',
          content: item.parts.map((part) =>
            part.type === 'call'
              ? {
                  type: 'tool-call' as const,
                  toolCallId: part.callId,
                  toolName: part.name,
                  input: part.input,
                }
              : { type: part.type, text: part.text },
          ),
        },
      ]
    return [
      {
        role: 'tool',
        content: item.results.map(({ callId, name, content }) => ({
          type: 'tool-result' as const,
          toolCallId: callId,
          toolName: name,
          output: { type: 'text' as const, value: content },
        })),
      },
    ]
  })
  return system === undefined ? messages : [{ role: 'system', content: system }, ...messages]
}
