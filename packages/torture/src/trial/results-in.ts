import type { ModelSetup, Result } from '../adapter/adapter.ts'

type Body = Readonly<Record<string, unknown>>
interface Part {
  readonly type?: string
  readonly text?: string
}

/** The results of the last response's calls, in a request to a model. */
export function resultsIn(format: ModelSetup['format'], body: Body): Result[] {
  switch (format) {
    case 'openai': {
      const messages = body.messages as readonly { role: string; tool_call_id: string; content: unknown }[]
      const last = messages.findLastIndex(({ role }) => role === 'assistant')
      return messages
        .slice(last + 1)
        .filter(({ role }) => role === 'tool')
        .map(({ tool_call_id: id, content }) => ({
          id,
          text: toText(content),
          isError: looksLikeError(toText(content)),
        }))
    }
    case 'anthropic': {
      const { content } = (body.messages as readonly { content: unknown }[]).at(-1)!
      if (!Array.isArray(content)) return []
      return content
        .filter(({ type }) => type === 'tool_result')
        .map((block) => ({
          id: block.tool_use_id,
          text: toText(block.content),
          isError: block.is_error === true || looksLikeError(toText(block.content)),
        }))
    }
    case 'google': {
      const { parts } = (body.contents as readonly { parts: readonly Body[] }[]).at(-1)!
      return parts.flatMap(({ functionResponse }) => {
        if (functionResponse === undefined) return []
        const { id, name, response } = functionResponse as { id?: string; name: string; response: Body }
        const text = JSON.stringify(response)
        return [{ id: id ?? name, text, isError: 'error' in response || looksLikeError(text) }]
      })
    }
  }
}

function toText(content: unknown): string {
  if (typeof content === 'string') return content
  if (Array.isArray(content)) return content.map(({ text }: Part) => text ?? '').join('')
  return JSON.stringify(content) ?? ''
}

/** Some protocols have no field for it, so the model must see it in the text. */
function looksLikeError(text: string): boolean {
  return /error|fail|time[ds]? ?out|timeout|cancel|abort|denied|not (?:found|allowed|available|approved)|unknown|invalid|did not|unable|limit|rejected|refused|no such/i.test(
    text.slice(0, 4_000),
  )
}
