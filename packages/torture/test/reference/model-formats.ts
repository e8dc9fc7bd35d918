import type { ModelSetup } from '../../src/adapter/adapter.ts'
import type { Message } from './history.ts'

export interface OfferedTool {
  readonly name: string
  readonly description: string
  readonly parameters: Readonly<Record<string, unknown>>
}

export interface ModelRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
}

export interface WrittenCall {
  id: string
  name: string
  params: string
}

export interface ModelResponse {
  text: string
  readonly calls: WrittenCall[]
}

/** How a provider's protocol writes a conversation, and what an event of its responses adds. */
export interface ModelFormat {
  request(setup: ModelSetup, messages: readonly Message[], tools: readonly OfferedTool[]): ModelRequest
  read(event: never, response: ModelResponse): void
}

const maxOutputTokens = 1_000

const openai: ModelFormat = {
  request: ({ url, key }, messages, tools) => ({
    url: `${url}/chat/completions`,
    headers: { authorization: `Bearer ${key}` },
    body: {
      model: 'test',
      stream: true,
      messages: messages.flatMap((message): object[] => {
        if (message.role === 'user') return [{ role: 'user', content: message.text }]
        if (message.role === 'results')
          return message.results.flatMap((result) =>
            result === null ? [] : { role: 'tool', tool_call_id: result.id, content: result.text },
          )
        const calls = message.calls.map(({ id, name, params }) => ({
          id,
          type: 'function',
          function: { name, arguments: toObject(params) === null ? '{}' : params },
        }))
        return [
          {
            role: 'assistant',
            ...(message.text !== '' && { content: message.text }),
            ...(calls.length > 0 && { tool_calls: calls }),
          },
        ]
      }),
      ...(tools.length > 0 && { tools: tools.map((tool) => ({ type: 'function', function: tool })) }),
    },
  }),
  read({ choices: [choice] }: { choices: { delta: OpenaiDelta }[] }, response) {
    response.text += choice?.delta.content ?? ''
    for (const { index, id, function: called } of choice?.delta.tool_calls ?? []) {
      response.calls[index] ??= { id: id ?? '', name: '', params: '' }
      response.calls[index].name += called.name ?? ''
      response.calls[index].params += called.arguments ?? ''
    }
  },
}

interface OpenaiDelta {
  readonly content?: string
  readonly tool_calls?: readonly {
    index: number
    id?: string
    function: { name?: string; arguments?: string }
  }[]
}

const anthropic: ModelFormat = {
  request: ({ url, key }, messages, tools) => ({
    url: `${url}/messages`,
    headers: { 'x-api-key': key, 'anthropic-version': '2023-06-01' },
    body: {
      model: 'test',
      stream: true,
      max_tokens: maxOutputTokens,
      messages: messages.map((message) => {
        if (message.role === 'user') return { role: 'user', content: [{ type: 'text', text: message.text }] }
        if (message.role === 'results') {
          const results = message.results.filter((result) => result !== null)
          const blocks = results.map(({ id, text, isError }) => ({
            type: 'tool_result',
            tool_use_id: id,
            content: [{ type: 'text', text }],
            is_error: isError,
          }))
          return { role: 'user', content: blocks }
        }
        const text = message.text.trim() === '' ? [] : [{ type: 'text', text: message.text }]
        const calls = message.calls.map(({ id, name, params }) => ({
          type: 'tool_use',
          id,
          name,
          input: toObject(params) ?? {},
        }))
        return { role: 'assistant', content: [...text, ...calls] }
      }),
      ...(tools.length > 0 && {
        tools: tools.map(({ parameters, ...tool }) => ({ ...tool, input_schema: parameters })),
      }),
    },
  }),
  read(event: AnthropicEvent, response) {
    if (event.type === 'content_block_start' && event.content_block.type === 'tool_use')
      response.calls.push({ id: event.content_block.id!, name: event.content_block.name!, params: '' })
    if (event.type !== 'content_block_delta') return
    if (event.delta.type === 'text_delta') response.text += event.delta.text
    if (event.delta.type === 'input_json_delta') response.calls.at(-1)!.params += event.delta.partial_json
  },
}

interface AnthropicEvent {
  readonly type: string
  readonly content_block: { readonly type: string; readonly id?: string; readonly name?: string }
  readonly delta: { readonly type: string; readonly text?: string; readonly partial_json?: string }
}

const google: ModelFormat = {
  request: ({ url, key }, messages, tools) => ({
    url: `${url}/models/test:streamGenerateContent?alt=sse`,
    headers: { 'x-goog-api-key': key },
    body: {
      contents: messages.map((message, index) => {
        if (message.role === 'user') return { role: 'user', parts: [{ text: message.text }] }
        if (message.role === 'assistant') {
          const text = message.text === '' ? [] : [{ text: message.text }]
          const calls = message.calls.map(({ id, name, params }) => ({
            functionCall: { id, name, args: toObject(params) ?? {} },
          }))
          return { role: 'model', parts: [...text, ...calls] }
        }
        const { calls } = messages[index - 1] as Extract<Message, { role: 'assistant' }>
        const parts = message.results.flatMap((result, at) => {
          if (result === null) return []
          const { id, text, isError } = result
          return {
            functionResponse: {
              id,
              name: calls[at]!.name,
              response: isError ? { error: text } : { result: text },
            },
          }
        })
        return { role: 'user', parts }
      }),
      ...(tools.length > 0 && {
        tools: [
          {
            functionDeclarations: tools.map(({ parameters, ...tool }) => ({
              ...tool,
              parametersJsonSchema: parameters,
            })),
          },
        ],
      }),
    },
  }),
  read({ candidates: [candidate] }: { candidates: { content?: { parts?: GooglePart[] } }[] }, response) {
    for (const { text = '', functionCall } of candidate?.content?.parts ?? []) {
      response.text += text
      if (functionCall === undefined) continue
      const { id = '', name, args } = functionCall
      response.calls.push({ id, name, params: typeof args === 'string' ? args : JSON.stringify(args ?? {}) })
    }
  },
}

interface GooglePart {
  readonly text?: string
  readonly functionCall?: { readonly id?: string; readonly name: string; readonly args?: unknown }
}

export const modelFormats: Readonly<Record<ModelSetup['format'], ModelFormat>> = { openai, anthropic, google }

/** `null` if the model wrote something else, which no provider takes back. */
function toObject(params: string): object | null {
  try {
    const value: unknown = JSON.parse(params, (_, one) =>
      typeof one === 'string' ? one.toWellFormed() : one,
    )
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}
