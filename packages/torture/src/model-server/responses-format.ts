import { openaiFormat } from './openai-format.ts'
import {
  type ErrorKind,
  type ErrorResponse,
  event,
  type StreamWriter,
  type WireFormat,
} from './wire-format.ts'

/** OpenAI's Responses API, for programs that speak only that. Requests are not checked. */
export const responsesFormat: WireFormat = {
  basePath: '/v1',
  checkKey: (request) => openaiFormat.checkKey(request),
  validate: () => null,
  error: (kind: ErrorKind): ErrorResponse => openaiFormat.error(kind),
  createWriter,
}

function createWriter(): StreamWriter {
  const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'test', status: 'in_progress' }
  const output: object[] = []
  const send = (type: string, fields: object): string => event({ type, ...fields }, type)
  const item = (fields: object, deltas: string): string => {
    const output_index = output.length
    const id = `item_${output_index}`
    output.push({ id, ...fields })
    return [
      send('response.output_item.added', { output_index, item: { id, ...fields, status: 'in_progress' } }),
      deltas,
      send('response.output_item.done', { output_index, item: { id, ...fields, status: 'completed' } }),
    ].join('')
  }
  return {
    start: () => send('response.created', { response: { ...response, output: [] } }),
    text(text) {
      const place = { item_id: `item_${output.length}`, output_index: output.length, content_index: 0 }
      const content = [{ type: 'output_text', text, annotations: [] }]
      return item(
        { type: 'message', role: 'assistant', content },
        send('response.output_text.delta', { ...place, delta: text }),
      )
    },
    reasoning: () => '',
    redacted: () => '',
    call({ id = `call_${output.length}`, name, input, namespace }) {
      const json = typeof input === 'string' ? input : JSON.stringify(input)
      return item(
        {
          type: 'function_call',
          call_id: id,
          name,
          arguments: json,
          ...(namespace !== undefined && { namespace }),
        },
        '',
      )
    },
    ping: () => ': ping\n\n',
    error: (kind) => event(openaiFormat.error(kind).body),
    finish(_finish, { input, output: written, cached = 0, reasoning = 0 }) {
      const usage = {
        input_tokens: input,
        input_tokens_details: { cached_tokens: cached },
        output_tokens: written,
        output_tokens_details: { reasoning_tokens: reasoning },
        total_tokens: input + written,
      }
      return send('response.completed', { response: { ...response, status: 'completed', output, usage } })
    },
  }
}
