import { setTimeout as sleep } from 'node:timers/promises'
import {
  formats,
  type ModelServerOptions,
  type RawReply,
} from '../../../../packages/torture/src/model-server/start-model-server.ts'
import type { Finish, StreamWriter } from '../../../../packages/torture/src/model-server/wire-format.ts'
import { mutateBytes, mutateJson, type Vocabulary } from '../../../../test/support/mutate-json.ts'
import type { Random } from '../../../../test/support/random.ts'

/** A response with a mutated stream or a mutated HTTP message. The same state of `random` yields the same response. */
export function hostileResponse(random: Random, format: ModelServerOptions['format']): RawReply {
  if (random.once(8)) return oddMessage(random, format)
  const body = mutatedStream(random, format)
  return sendBody(random, okHead, random.once(8) ? mutateBytes(random, body) : body)
}

const okHead = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n'

/** The events of a valid response. */
function validEvents(random: Random, format: ModelServerOptions['format']): string[] {
  const writer = formats[format].createWriter()
  const events = [writer.start()]
  for (let parts = random.below(5); parts >= 0; parts--) events.push(validPart(random, writer))
  const finish: Finish = random.once(6)
    ? random.pick(['length', 'filter', 'malformed-call', 'stop'])
    : 'calls'
  events.push(writer.finish(finish, { input: 10, output: 5, cached: 2, reasoning: 1 }))
  return events.flatMap((text) => text.split(/(?<=\n\n)/)).filter((event) => event !== '')
}

function validPart(random: Random, writer: StreamWriter): string {
  const signature = 'c2lnbmF0dXJl'
  switch (random.below(7)) {
    case 0:
      return writer.reasoning('Hmm. ', random.once(2) ? signature : undefined)
    case 1:
      return writer.redacted('c2VjcmV0')
    case 2:
      return writer.ping()
    case 3:
      return writer.text(random.pick(['Well, ', 'é😀', '\ud83d', '', ' ']))
    default: {
      const id = random.once(2) ? {} : { id: random.pick(['c1', 'c2', '', 'x'.repeat(100), '../../etc']) }
      const name = random.pick(['echo', 'echo', 'count', '', 'no such\ntool', 'x'.repeat(5_000), '__proto__'])
      const input = random.pick([{ text: 'hello' }, { text: '\ud800' }, {}, { text: 'x'.repeat(70_000) }])
      return writer.call({ ...id, name, input, ...(random.once(2) && { signature }) })
    }
  }
}

function mutatedStream(random: Random, format: ModelServerOptions['format']): Buffer {
  let events: (string | Buffer)[] = validEvents(random, format)
  for (let times = random.below(3); times > 0; times--) events = mutateEvents(random, events, format)
  return Buffer.concat(events.map((event) => Buffer.from(event as string)))
}

function mutateEvents(
  random: Random,
  events: readonly (string | Buffer)[],
  format: ModelServerOptions['format'],
): (string | Buffer)[] {
  const at = random.below(events.length)
  const event = events[at]!
  const [before, after] = [events.slice(0, at), events.slice(at + 1)]
  switch (random.below(random.once(20) ? 12 : 10)) {
    case 0:
      return [...before, event, event, ...after]
    case 1:
      return [...before, ...after, event]
    case 2:
      return events.length > 1 ? [...before, ...after] : [...events]
    case 3:
      return [...before, event, random.pick(validEvents(random, random.pick(formatNames))), ...after]
    case 4:
      return [...before, event, random.pick(oddFrames), ...after]
    case 5:
      return [...events, ...validEvents(random, format)]
    case 10:
      return [...before, ...manyCalls(random, format), ...after]
    case 11:
      return [...before, `data: {"long":"${'x'.repeat(10 << 20)}"}\n\n`, ...after]
    default:
      return [...before, mutateEvent(random, event), ...after]
  }
}

const formatNames = ['google', 'anthropic', 'openai'] as const

/** Valid and invalid lines of an event stream. */
const oddFrames = [
  ...[
    'data: [DONE]\n\n',
    'data:\n\n',
    'data: null\n\n',
    'data: {\ndata: }\n\n',
    'data: []\n\n',
    'data: 1\n\n',
  ],
  ...['id: \0\nretry: NaN\n\n', ': comment\n', '\r\n\r\n', 'event: error\n', 'nothing\n\n', '\ufeff', 'data'],
  ...[
    'data: {"error":"overloaded"}\n\n',
    'data: {"error":{"message":{},"code":[]}}\n\n',
    'data: {"choices":[]}\n\n',
  ],
  ...['data: {"choices":[null]}\n\n', 'data: {"candidates":[null]}\n\n', 'data: {"type":"error"}\n\n'],
]

function manyCalls(random: Random, format: ModelServerOptions['format']): string[] {
  const writer = formats[format].createWriter()
  const count = random.pick([300, 1_500, 5_000])
  return Array.from({ length: count }, () => writer.call({ name: 'count', input: {} }))
}

function mutateEvent(random: Random, event: string | Buffer): Buffer {
  const match = /^([\s\S]*?data: )(\{[\s\S]*\})(\n\n)$/.exec(event.toString())
  if (match === null) return mutateBytes(random, Buffer.from(event as string))
  const [, head, json, end] = match
  try {
    const mutated = mutateJson(random, JSON.parse(json!), vocabulary)
    return Buffer.concat([Buffer.from(head!), mutated, Buffer.from(end!)])
  } catch {
    // No longer JSON, or too deep for `JSON.stringify`.
    return mutateBytes(random, Buffer.from(event as string))
  }
}

const vocabulary: Vocabulary = {
  keys: [
    ...['type', 'index', 'delta', 'content_block', 'id', 'name', 'input', 'usage', 'message', 'error'],
    ...['choices', 'tool_calls', 'function', 'arguments', 'finish_reason', 'content', 'reasoning_content'],
    ...['candidates', 'parts', 'functionCall', 'args', 'thoughtSignature', 'finishReason', 'usageMetadata'],
    ...['signature', 'thought', 'text', 'extra_content'],
  ],
  strings: [
    ...['message_start', 'content_block_start', 'content_block_delta', 'content_block_stop', 'message_delta'],
    ...['message_stop', 'ping', 'error', 'text', 'tool_use', 'thinking', 'redacted_thinking', 'text_delta'],
    ...['input_json_delta', 'thinking_delta', 'signature_delta', 'server_tool_use', 'web_search_tool_result'],
    ...['mcp_tool_use', 'compaction', 'end_turn', 'tool_use', 'pause_turn', 'stop', 'tool_calls', 'length'],
    ...['content_filter', 'STOP', 'SAFETY', 'MALFORMED_FUNCTION_CALL', 'function', 'insufficient_quota'],
    ...['{"text":', '[1]', '"x"', 'null', '{"a":1}{"b":2}', `${'['.repeat(10_000)}${']'.repeat(10_000)}`],
  ],
  members: [
    ...['"type":"error"', '"index":-1', '"index":1e9', '"id":{}', '"id":7', '"error":{"message":"no"}'],
    ...['"usage":{"input_tokens":1e308,"output_tokens":-5,"prompt_tokens":"x","completion_tokens":1e308}'],
    ...['"usageMetadata":{"promptTokenCount":1e308,"candidatesTokenCount":1e308,"totalTokenCount":-1}'],
    '"choices":[{"index":0,"delta":{"tool_calls":[{"index":1000000,"id":"c","function":{"name":"count","arguments":"{}"}}]}}]',
  ],
}

/** Sends the bytes in chunks of any size, and ends the connection in some way. */
function sendBody(random: Random, head: string, body: Buffer): RawReply {
  const chunks = [Buffer.from(head), ...splitBytes(random, body)]
  const drips = random.once(6)
  const ending = random.pick([
    'end',
    'end',
    'end',
    'end',
    'end',
    'end',
    'end',
    'end',
    'end',
    'reset',
    'destroy',
    'stall',
  ] as const)
  return async (socket) => {
    socket.on('error', () => {})
    for (const chunk of chunks) {
      if (socket.destroyed) return
      socket.write(chunk)
      // Otherwise they arrive as one.
      await sleep(drips ? 2 : 0)
    }
    if (ending === 'end') socket.end()
    else if (ending === 'reset') socket.resetAndDestroy()
    else if (ending === 'destroy') socket.destroy()
  }
}

const maxChunks = 60

function splitBytes(random: Random, body: Buffer): Buffer[] {
  const cuts = Array.from({ length: random.below(maxChunks) }, () => random.below(body.length + 1))
  const sorted = [0, ...cuts.sort((a, b) => a - b), body.length]
  return sorted.slice(1).map((cut, index) => body.subarray(sorted[index], cut))
}

/** Responses that are wrong before the stream. */
function oddMessage(random: Random, format: ModelServerOptions['format']): RawReply {
  const stream = Buffer.from(validEvents(random, format).join(''))
  const status = random.pick([
    '204 No Content',
    '304 Not Modified',
    '301 Moved',
    '307 Temporary Redirect',
    '206 Partial',
  ])
  const failed = random.pick([
    '400 Bad Request',
    '404 Not Found',
    '418 Teapot',
    '429 Too Many',
    '500 Error',
    '599 ?',
  ])
  const retryAfter = random.pick(['0', '-1', '1e9', 'soon', 'Thu, 01 Jan 1970 00:00:00 GMT', '0.01'])
  const head = (line: string, ...headers: string[]): string =>
    `HTTP/1.1 ${line}\r\nconnection: close\r\n${headers.map((header) => `${header}\r\n`).join('')}\r\n`
  const [response, body] = random.pick<() => [string, Buffer]>([
    () => [head('200 OK', 'content-type: text/html'), Buffer.from('<html><body>Sign in</body></html>')],
    () => [head('200 OK', 'content-type: application/json'), stream],
    () => [head('200 OK', 'content-type: text/event-stream', 'content-encoding: gzip'), stream],
    () => [head('200 OK', 'content-type: text/event-stream', 'content-length: 10'), stream],
    () => [head('200 OK', 'content-type: text/event-stream', 'content-length: 99999999'), stream],
    () => [head('200 OK', 'transfer-encoding: chunked'), stream],
    () => [head('200 OK', 'transfer-encoding: chunked'), Buffer.from('FFFFFFFF\r\ndata: {}\n\n')],
    () => [head('200 OK', `x: ${'y'.repeat(100_000)}`), stream],
    () => [head('200 OK', 'content-type: text/event-stream'), Buffer.alloc(0)],
    () => [head(status, 'content-type: text/event-stream', 'location: http://127.0.0.1:1/'), stream],
    () => [head(status, 'location: http://[::bad'), Buffer.alloc(0)],
    () => [head(failed, `retry-after: ${retryAfter}`), stream],
    () => [
      head(failed, 'content-type: application/json'),
      mutateJson(random, { error: errorBody }, vocabulary),
    ],
    () => [head(failed, 'content-type: application/json'), Buffer.from(`{"error":"${'x'.repeat(1 << 20)}`)],
    () => ['HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nx: y', Buffer.alloc(0)],
    () => ['HTTP/9.9 banana\r\n\r\n', stream],
    () => ['', random.once(2) ? Buffer.alloc(0) : Buffer.from([0xff, 0x00, 0x16, 0x03])],
  ])()
  return sendBody(random, response, body)
}

const errorBody = {
  message: 'You exceeded your current quota.',
  type: 'requests',
  code: 429,
  status: 'RESOURCE_EXHAUSTED',
  details: [
    { '@type': 'RetryInfo', retryDelay: '0.01s', reason: 'x', violations: [{ quotaId: 'PerMinute' }] },
  ],
}
