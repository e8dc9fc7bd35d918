import type { ModelSetup } from '../../src/adapter/adapter.ts'
import type { Message } from './history.ts'
import { type ModelResponse, modelFormats, type OfferedTool } from './model-formats.ts'

const { parse } = JSON

/** Sends a conversation, and reads the streamed response. */
export async function askModel(
  setup: ModelSetup,
  messages: readonly Message[],
  tools: readonly OfferedTool[],
  signal: AbortSignal,
): Promise<ModelResponse> {
  const format = modelFormats[setup.format]
  const { url, headers, body } = format.request(setup, messages, tools)
  const send = (): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal,
    })
  // A connection that was kept open may have been closed in the meantime.
  const reply = await send().catch(() => send())
  if (!reply.ok)
    throw new Error(`the model responded with ${reply.status}: ${(await reply.text()).slice(0, 500)}`)
  const response: ModelResponse = { text: '', calls: [] }
  let rest = ''
  for await (const chunk of reply.body!.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()!
    for (const line of lines)
      if (line.startsWith('data: ') && line !== 'data: [DONE]')
        format.read(parse(line.slice(6)) as never, response)
  }
  return response
}
