import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'

export const callsPerTurn = 5
/** Ids are unique, as those of real models are: V8 may share equal strings of two conversations. */
let count = 0

interface ScriptedModelOptions {
  /** The number of text deltas in each response. */
  readonly deltas: number
  readonly callsTools: boolean
  /** Whether the prompt is converted to JSON, as for a real request. It also joins the pieces of strings. */
  readonly serializes: boolean
}

/** Responds to every prompt with calls, and to their results with text. */
export function scriptedModel({ deltas, callsTools, serializes }: ScriptedModelOptions): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'bench',
    modelId: 'scripted',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('not used')),
    async doStream({ prompt }) {
      if (serializes) JSON.stringify(prompt)
      const isPrompt = prompt.at(-1)?.role === 'user'
      const parts: LanguageModelV4StreamPart[] = [
        { type: 'stream-start', warnings: [] },
        { type: 'text-start', id: 't' },
      ]
      for (let index = 0; index < deltas; index++)
        parts.push({ type: 'text-delta', id: 't', delta: 'some text ' })
      parts.push({ type: 'text-end', id: 't' })
      const calls = callsTools && isPrompt ? callsPerTurn : 0
      for (let index = 0; index < calls; index++) {
        const input = JSON.stringify({ a: ++count, b: index })
        parts.push({ type: 'tool-call', toolCallId: `call-${count}`, toolName: 'add', input })
      }
      const unified = calls > 0 ? 'tool-calls' : 'stop'
      const inputTokens = { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 }
      const outputTokens = { total: 10, text: 10, reasoning: 0 }
      parts.push({
        type: 'finish',
        usage: { inputTokens, outputTokens },
        finishReason: { unified, raw: unified },
      })
      return { stream: ReadableStream.from(parts) as ReadableStream<LanguageModelV4StreamPart> }
    },
  }
}
