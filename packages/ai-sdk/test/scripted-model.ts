import type { LanguageModel } from 'ai'
import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test'

/** A call as `[name, input]`; the input may also be broken JSON. `id` defaults to `call-<step>-<index>`. */
export type ScriptedCall = readonly [name: string, input?: unknown, id?: string]

/** One response of the model: its text, or its calls. */
export type Response =
  | string
  | readonly ScriptedCall[]
  | { readonly calls: readonly ScriptedCall[]; readonly finishReason: 'length' }

type Prompt = MockLanguageModelV4['doStreamCalls'][number]['prompt']

export interface ScriptedModel {
  readonly model: Exclude<LanguageModel, string>
  /** The options of each request. */
  readonly requests: MockLanguageModelV4['doStreamCalls']
  /** The tool results that the model has read last, in their order. */
  results(): ToolOutput[]
}

type ToolOutput = Extract<
  Extract<Prompt[number], { role: 'tool' }>['content'][number],
  { type: 'tool-result' }
>['output']

/** A model that responds as scripted; the last response is repeated. Works with `generateText` and `streamText`. */
export function scriptedModel(...responses: readonly Response[]): ScriptedModel {
  const requests: MockLanguageModelV4['doStreamCalls'] = []
  const respond = (options: MockLanguageModelV4['doStreamCalls'][number]) => {
    const step = requests.push(options) - 1
    const response = responses[Math.min(step, responses.length - 1)]!
    const { calls, finishReason } =
      typeof response === 'string'
        ? { calls: [], finishReason: 'stop' as const }
        : 'calls' in response
          ? response
          : { calls: response, finishReason: 'tool-calls' as const }
    const content = calls.map(([name, input = {}, id], index) => ({
      type: 'tool-call' as const,
      toolCallId: id ?? `call-${step}-${index}`,
      toolName: name,
      input: typeof input === 'string' ? input : JSON.stringify(input),
    }))
    return {
      text: typeof response === 'string' ? response : '',
      content,
      finishReason: { unified: finishReason, raw: undefined },
    }
  }
  const model = new MockLanguageModelV4({
    doGenerate: async (options) => {
      const { text, content, finishReason } = respond(options)
      return { content: text === '' ? content : [{ type: 'text', text }], finishReason, usage, warnings: [] }
    },
    doStream: async (options) => {
      const { text, content, finishReason } = respond(options)
      const parts =
        text === ''
          ? content.flatMap((call) => [
              { type: 'tool-input-start' as const, id: call.toolCallId, toolName: call.toolName },
              { type: 'tool-input-delta' as const, id: call.toolCallId, delta: call.input },
              { type: 'tool-input-end' as const, id: call.toolCallId },
              call,
            ])
          : [
              { type: 'text-start' as const, id: '1' },
              { type: 'text-delta' as const, id: '1', delta: text },
              { type: 'text-end' as const, id: '1' },
            ]
      return {
        stream: convertArrayToReadableStream([
          { type: 'stream-start' as const, warnings: [] },
          ...parts,
          { type: 'finish' as const, finishReason, usage },
        ]),
      }
    },
  })
  return { model, requests, results: () => resultsIn(requests.at(-1)?.prompt ?? []) }
}

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

function resultsIn(prompt: Prompt): ToolOutput[] {
  const last = prompt.findLast(({ role }) => role === 'tool')
  if (last?.role !== 'tool') return []
  return last.content.flatMap((part) => (part.type === 'tool-result' ? [part.output] : []))
}
