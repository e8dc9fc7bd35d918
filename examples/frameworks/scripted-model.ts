// Stands in for a model of the AI SDK: calls the tools once, and then prints what it reads.
import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test'
import { calls, print } from './tools.ts'

export function scriptedModel(): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    async doStream({ prompt }) {
      const results = prompt.flatMap(({ role, content }) => (role === 'tool' ? content : []))
      for (const part of results) {
        if (part.type !== 'tool-result') continue
        const { output } = part
        print(`${part.toolCallId}: ${'value' in output ? output.value : `${output.type}: ${output.reason}`}`)
      }
      const done = results.length > 0
      return {
        stream: convertArrayToReadableStream([
          { type: 'stream-start', warnings: [] },
          ...(done ? text : toolCalls),
          { type: 'finish', finishReason: { unified: done ? 'stop' : 'tool-calls', raw: undefined }, usage },
        ]),
      }
    },
  })
}

const text = [
  { type: 'text-start', id: '1' },
  { type: 'text-delta', id: '1', delta: 'done' },
  { type: 'text-end', id: '1' },
] as const

const toolCalls = calls.map(({ id, name, params }) => ({
  type: 'tool-call' as const,
  toolCallId: id,
  toolName: name,
  input: JSON.stringify(params),
}))

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}
