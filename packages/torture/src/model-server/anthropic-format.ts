import {
  type ErrorKind,
  type ErrorResponse,
  event,
  findLoneSurrogate,
  firstProblem,
  isBase64,
  isRecord,
  type Problem,
  type ReceivedRequest,
  type StreamWriter,
  type WireFormat,
} from './wire-format.ts'

/** Anthropic's messages. */
export const anthropicFormat: WireFormat = {
  basePath: '/v1',
  checkKey,
  validate,
  error: errorResponse,
  createWriter,
}

function createWriter(): StreamWriter {
  let index = -1
  let openText = false
  let calls = 0
  const send = (data: { readonly type: string } & Record<string, unknown>): string => event(data, data.type)
  const closeText = (): string => {
    if (!openText) return ''
    openText = false
    return send({ type: 'content_block_stop', index })
  }
  const block = (start: object, deltas: readonly object[]): string =>
    closeText() +
    send({ type: 'content_block_start', index: ++index, content_block: start }) +
    deltas.map((delta) => send({ type: 'content_block_delta', index, delta })).join('') +
    send({ type: 'content_block_stop', index })
  return {
    start: () =>
      send({
        type: 'message_start',
        message: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model: 'test',
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: 10, output_tokens: 1 },
        },
      }),
    text(text) {
      const start = openText
        ? ''
        : send({ type: 'content_block_start', index: ++index, content_block: { type: 'text', text: '' } })
      openText = true
      return start + send({ type: 'content_block_delta', index, delta: { type: 'text_delta', text } })
    },
    reasoning: (thinking, signature) =>
      block({ type: 'thinking', thinking: '', signature: '' }, [
        { type: 'thinking_delta', thinking },
        ...(signature === undefined ? [] : [{ type: 'signature_delta', signature }]),
      ]),
    redacted: (data) => block({ type: 'redacted_thinking', data }, []),
    call({ id = `toolu_${calls}`, name, input }) {
      calls++
      const json = typeof input === 'string' ? input : JSON.stringify(input)
      const half = Math.floor(json.length / 2)
      const deltas = [json.slice(0, half), json.slice(half)].map((part) => ({
        type: 'input_json_delta',
        partial_json: part,
      }))
      return block({ type: 'tool_use', id, name, input: {} }, deltas)
    },
    ping: () => send({ type: 'ping' }),
    error: (kind) => event(errorResponse(kind).body, 'error'),
    finish(finish, { input, output, cached = 0 }) {
      const usage = { input_tokens: input - cached, output_tokens: output, cache_read_input_tokens: cached }
      const delta = { stop_reason: stopReasons[finish], stop_sequence: null }
      return closeText() + send({ type: 'message_delta', delta, usage }) + send({ type: 'message_stop' })
    },
  }
}

const stopReasons = {
  stop: 'end_turn',
  calls: 'tool_use',
  length: 'max_tokens',
  filter: 'refusal',
  'malformed-call': 'end_turn',
}

function errorResponse(kind: ErrorKind): ErrorResponse {
  const body = (type: string, message: string): unknown => ({
    type: 'error',
    error: { type, message },
    request_id: 'req_1',
  })
  switch (kind) {
    case 'rate-limit': {
      const message = "This request would exceed your organization's rate limit of 50 requests per minute."
      return { status: 429, body: body('rate_limit_error', message) }
    }
    case 'quota': {
      const message =
        'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.'
      return { status: 400, body: body('invalid_request_error', message) }
    }
    case 'server-error':
      return { status: 500, body: body('api_error', 'Internal server error') }
    case 'overloaded':
      return { status: 529, body: body('overloaded_error', 'Overloaded') }
    case 'auth':
      return { status: 401, body: body('authentication_error', 'invalid x-api-key sk-ant-test1234567890') }
    case 'not-found':
      return { status: 404, body: body('not_found_error', 'model: test') }
    case 'context-overflow': {
      const message = 'prompt is too long: 213462 tokens > 200000 maximum'
      return { status: 400, body: body('invalid_request_error', message) }
    }
    default:
      return { status: kind.status, body: body('invalid_request_error', kind.message) }
  }
}

type Reject = (message: string, status?: number) => never
type Block = Readonly<Record<string, unknown>>

function checkKey({ headers }: ReceivedRequest): Problem | null {
  return headers['x-api-key'] ? null : { status: 401, message: 'x-api-key header is required' }
}

function validate({ path, headers, body }: ReceivedRequest): Problem | null {
  return firstProblem((reject) => {
    if (path !== '/v1/messages') reject('Not Found', 404)
    if (!headers['anthropic-version']) reject('anthropic-version: header is required')
    if (findLoneSurrogate(body)) reject('The request body is not valid JSON: no low surrogate in string')
    const { model, messages, max_tokens: maxTokens, stream, system, tools, tool_choice: choice } = body
    if (typeof model !== 'string' || model === '') reject('model: Field required')
    if (!Number.isInteger(maxTokens)) reject('max_tokens: Field required')
    if (stream !== true) reject('this server only streams')
    if (!Array.isArray(messages) || messages.length === 0)
      return reject('messages: at least one message is required')
    if (choice !== undefined && tools === undefined)
      reject('tool_choice: tool_choice may only be specified with tools')
    if (tools !== undefined) validateTools(tools, reject)
    if (Array.isArray(system)) for (const block of system) validateText(block, 'system', reject)
    else if (system !== undefined) reject('system: Input should be a valid list')
    const markers = JSON.stringify(body).match(/"cache_control":\{/g)?.length ?? 0
    if (markers > 4) reject(`A maximum of 4 blocks with cache_control may be provided. Found ${markers}.`)
    validateMessages(messages, reject)
  })
}

function validateTools(tools: unknown, reject: Reject): void {
  if (!Array.isArray(tools)) return reject('tools: Input should be a valid list')
  const names = new Set<unknown>()
  for (const [index, { name, input_schema: schema }] of tools.entries()) {
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(name))
      reject(`tools.${index}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`)
    if (names.has(name)) reject('tools: Tool names must be unique.')
    names.add(name)
    if (schema?.type !== 'object') reject(`tools.${index}.custom.input_schema.type: Field required`)
    for (const key of ['oneOf', 'anyOf', 'allOf'])
      if (key in schema)
        reject(
          `tools.${index}.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`,
        )
  }
}

function validateMessages(messages: readonly Block[], reject: Reject): void {
  const ids = new Set<string>()
  let pending: string[] = []
  for (const [index, { role, content }] of messages.entries()) {
    const at = `messages.${index}`
    if (role !== 'user' && role !== 'assistant') reject(`${at}.role: Input should be 'user' or 'assistant'`)
    if (index === 0 && role !== 'user') reject('messages: first message must use the "user" role')
    if (!Array.isArray(content) || content.length === 0)
      return reject(
        `${at}: all messages must have non-empty content except for the optional final assistant message`,
      )
    if (role === 'assistant') {
      if (pending.length > 0) reject(missingResults(at, pending))
      pending = validateAssistant(content, at, ids, reject)
      continue
    }
    const answered = validateUser(content, at, pending, reject)
    const missing = pending.filter((id) => !answered.includes(id))
    if (missing.length > 0) reject(missingResults(at, missing))
    pending = []
  }
  if (messages.at(-1)?.role !== 'user')
    reject(
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    )
}

function missingResults(at: string, ids: readonly string[]): string {
  return `${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`
}

/** Returns the ids of its calls. */
function validateAssistant(
  content: readonly Block[],
  at: string,
  ids: Set<string>,
  reject: Reject,
): string[] {
  const calls: string[] = []
  for (const [index, block] of content.entries()) {
    const where = `${at}.content.${index}`
    switch (block.type) {
      case 'text':
        validateText(block, where, reject)
        break
      case 'thinking':
        if (typeof block.signature !== 'string' || block.signature === '')
          reject(`${where}.thinking.signature: Field required`)
        break
      case 'redacted_thinking':
        if (typeof block.data !== 'string') reject(`${where}.redacted_thinking.data: Field required`)
        break
      case 'tool_use': {
        const { id, name, input } = block
        if (typeof id !== 'string' || !/^[a-zA-Z0-9_-]+$/.test(id))
          return reject(`${where}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`)
        if (ids.has(id)) reject(`${at}: \`tool_use\` ids must be unique`)
        if (typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,200}$/.test(name))
          reject(`${where}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,200}$'`)
        if (!isRecord(input)) reject(`${where}.tool_use.input: Input should be a valid dictionary`)
        ids.add(id)
        calls.push(id)
        break
      }
      default:
        reject(
          `${where}: Input tag '${String(block.type)}' found using 'type' does not match any of the expected tags`,
        )
    }
  }
  if (/thinking/.test(String(content.at(-1)?.type)))
    reject(`${at}: The final block in an assistant message cannot be \`thinking\`.`)
  return calls
}

/** Returns the ids of its results. */
function validateUser(
  content: readonly Block[],
  at: string,
  pending: readonly string[],
  reject: Reject,
): string[] {
  const answered: string[] = []
  let hasOther = false
  for (const [index, block] of content.entries()) {
    const where = `${at}.content.${index}`
    if (block.type !== 'tool_result') {
      hasOther = true
      validateUserBlock(block, where, reject)
      continue
    }
    const id = String(block.tool_use_id)
    if (!pending.includes(id))
      reject(
        `${where}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      )
    if (answered.includes(id))
      reject(
        `${where}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
      )
    // Results have to come first.
    if (hasOther) reject(missingResults(at, [id]))
    answered.push(id)
    validateResult(block, where, reject)
  }
  return answered
}

function validateResult({ content, is_error: isError }: Block, where: string, reject: Reject): void {
  if (typeof content === 'string') {
    if (content === '' && isError === true)
      reject(`${where}: content cannot be empty if \`is_error\` is true`)
    return
  }
  if (!Array.isArray(content)) return reject(`${where}.tool_result.content: Input should be a valid list`)
  for (const block of content) validateUserBlock(block, `${where}.tool_result.content`, reject)
}

function validateUserBlock(block: Block, where: string, reject: Reject): void {
  const { type, source } = block
  if (type === 'text') return validateText(block, where, reject)
  if (!isRecord(source))
    return reject(`${where}: Input tag '${String(type)}' does not match any of the expected tags`)
  const mediaTypes = type === 'image' ? /^image\/(jpeg|png|gif|webp)$/ : /^application\/pdf$/
  if (source.type !== 'base64' || !mediaTypes.test(String(source.media_type)))
    reject(
      `${where}.${String(type)}.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`,
    )
  if (!isBase64(source.data)) reject(`${where}.${String(type)}.source.base64.data: Invalid base64`)
}

function validateText({ text }: Block, where: string, reject: Reject): void {
  if (typeof text !== 'string' || text === '')
    return reject(`${where}: text content blocks must be non-empty`)
  if (text.trim() === '') reject(`${where}: text content blocks must contain non-whitespace text`)
}
