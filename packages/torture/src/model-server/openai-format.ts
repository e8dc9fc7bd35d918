import {
  type ErrorKind,
  type ErrorResponse,
  event,
  findLoneSurrogate,
  firstProblem,
  isRecord,
  type Problem,
  type ReceivedRequest,
  type StreamWriter,
  type WireFormat,
} from './wire-format.ts'

/** OpenAI's chat completions, and the stricter rules of chat templates of local servers: alternating roles, arguments that are objects. */
export const openaiFormat: WireFormat = {
  basePath: '/v1',
  checkKey,
  validate: (request) => validate(request, true),
  error: errorResponse,
  createWriter,
}

/** Without the rules of chat templates: what OpenAI itself accepts, and vLLM and llama.cpp with most models. */
export const openaiApiFormat: WireFormat = {
  ...openaiFormat,
  validate: (request) => validate(request, false),
}

function createWriter(): StreamWriter {
  let calls = 0
  const chunk = (choices: unknown[], rest: object = {}): string =>
    event({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'test', choices, ...rest })
  const delta = (content: object, finish: string | null = null): string =>
    chunk([{ index: 0, delta: content, finish_reason: finish }])
  return {
    start: () => delta({ role: 'assistant', content: '' }),
    text: (text) => delta({ content: text }),
    reasoning: (text) => delta({ reasoning_content: text }),
    redacted: () => '',
    call({ id = `call_${calls}`, name, input, signature }) {
      const index = calls++
      const json = typeof input === 'string' ? input : JSON.stringify(input)
      const half = Math.floor(json.length / 2)
      const extra =
        signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } }
      return [
        delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' }, ...extra }] }),
        ...[json.slice(0, half), json.slice(half)].map((part) =>
          delta({ tool_calls: [{ index, function: { arguments: part } }] }),
        ),
      ].join('')
    },
    ping: () => ': ping\n\n',
    error: (kind) => event(errorResponse(kind).body),
    finish(finish, { input, output, cached = 0, reasoning = 0 }) {
      const usage = {
        prompt_tokens: input,
        completion_tokens: output,
        total_tokens: input + output,
        prompt_tokens_details: { cached_tokens: cached },
        completion_tokens_details: { reasoning_tokens: reasoning },
      }
      return delta({}, finishReasons[finish]) + chunk([], { usage }) + event('[DONE]')
    },
  }
}

const finishReasons = {
  stop: 'stop',
  calls: 'tool_calls',
  length: 'length',
  filter: 'content_filter',
  'malformed-call': 'error',
}

function errorResponse(kind: ErrorKind): ErrorResponse {
  const body = (message: string, type: string, code: string | null): unknown => ({
    error: { message, type, param: null, code },
  })
  switch (kind) {
    case 'rate-limit':
      return { status: 429, body: body('Rate limit reached for test', 'requests', 'rate_limit_exceeded') }
    case 'quota': {
      const message = 'You exceeded your current quota, please check your plan and billing details.'
      return { status: 429, body: body(message, 'insufficient_quota', 'insufficient_quota') }
    }
    case 'server-error': {
      const message = 'The server had an error while processing your request. Sorry about that!'
      return { status: 500, body: body(message, 'server_error', null) }
    }
    case 'overloaded':
      return {
        status: 503,
        body: body('The engine is currently overloaded, please try again later', 'server_error', null),
      }
    case 'auth': {
      const message =
        'Incorrect API key provided: sk-test1234567890. You can find your API key at https://example.com.'
      return { status: 401, body: body(message, 'invalid_request_error', 'invalid_api_key') }
    }
    case 'not-found':
      return {
        status: 404,
        body: body('The model `test` does not exist', 'invalid_request_error', 'model_not_found'),
      }
    case 'context-overflow': {
      const message =
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."
      return { status: 400, body: body(message, 'invalid_request_error', 'context_length_exceeded') }
    }
    default:
      return { status: kind.status, body: body(kind.message, 'invalid_request_error', null) }
  }
}

const namePattern = /^[a-zA-Z0-9_-]{1,64}$/

function checkKey({ headers }: ReceivedRequest): Problem | null {
  return String(headers.authorization).startsWith('Bearer ')
    ? null
    : { status: 401, message: "You didn't provide an API key." }
}

function validate({ path, body }: ReceivedRequest, hasTemplate: boolean): Problem | null {
  return firstProblem((reject) => {
    if (path !== '/v1/chat/completions') reject(`Unknown request URL: POST ${path}`, 404)
    if (findLoneSurrogate(body)) reject('We could not parse the JSON body of your request.')
    const { model, messages, stream, tools, tool_choice: choice } = body
    if (typeof model !== 'string' || model === '') reject('you must provide a model parameter')
    if (stream !== true) reject('this server only streams')
    if (!Array.isArray(messages) || messages.length === 0) return reject("[] is too short - 'messages'")
    if (choice !== undefined && tools === undefined)
      reject("'tool_choice' is only allowed when 'tools' are specified.")
    if (tools !== undefined) validateTools(tools, reject)
    validateMessages(messages, reject)
    if (hasTemplate) validateForTemplate(messages, reject)
  })
}

/** Chat templates fail if roles do not alternate, and read arguments as objects and results as strings. */
function validateForTemplate(messages: readonly Record<string, unknown>[], reject: Reject): void {
  let previous = 'system'
  for (const [index, { role, content, tool_calls: calls = [] }] of messages.entries()) {
    const wrong = { user: ['user'], assistant: ['assistant', 'system'] }[role as string] ?? []
    if (wrong.includes(previous))
      reject('Conversation roles must alternate user/assistant/user/assistant/...')
    if (role === 'tool' && typeof content !== 'string')
      reject(`messages[${index}].content: expected a string`)
    for (const call of calls as readonly { function: { arguments: string } }[])
      if (!isJsonObject(call.function.arguments))
        reject(`Invalid 'messages[${index}].tool_calls': expected arguments that are a JSON object.`)
    previous = String(role)
  }
}

function isJsonObject(json: string): boolean {
  return json !== '' && isJson(json) && isRecord(JSON.parse(json))
}

type Reject = (message: string, status?: number) => never

function validateTools(tools: unknown, reject: Reject): void {
  if (!Array.isArray(tools) || tools.length === 0) return reject("[] is too short - 'tools'")
  const names = new Set<unknown>()
  for (const [index, tool] of tools.entries()) {
    const { name, parameters } = tool?.function ?? {}
    if (tool?.type !== 'function') reject(`Invalid value: tools[${index}].type`)
    if (typeof name !== 'string' || !namePattern.test(name))
      reject(`Invalid 'tools[${index}].function.name': string does not match pattern '^[a-zA-Z0-9_-]+$'.`)
    if (names.has(name)) reject(`tools[${index}].function.name: duplicate`)
    names.add(name)
    const at = `Invalid schema for function '${name}'`
    if (parameters?.type !== 'object') reject(`${at}: schema must be a JSON Schema of 'type: "object"'`)
    if (!isRecord(parameters.properties)) reject(`${at}: object schema missing properties.`)
    for (const key of ['oneOf', 'anyOf', 'allOf', 'enum', 'not'])
      if (key in parameters) reject(`${at}: schema must not have '${key}' at the top level`)
  }
}

function validateMessages(messages: readonly unknown[], reject: Reject): void {
  const ids = new Set<string>()
  let pending: string[] = []
  let previous = ''
  for (const [index, message] of messages.entries()) {
    if (!isRecord(message)) return reject(`messages[${index}]: expected an object`)
    const { role, content } = message
    if (role !== 'tool' && pending.length > 0)
      reject(
        `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${pending.join(', ')}`,
      )
    switch (role) {
      case 'system':
        if (index !== 0) reject('System message must be at the beginning.')
        if (typeof content !== 'string' || content === '') reject('messages[0].content: empty')
        break
      case 'user':
        validateUserContent(content, index, reject)
        break
      case 'assistant':
        pending = validateAssistant(message, index, ids, reject)
        break
      case 'tool': {
        const id = String(message.tool_call_id)
        if (!pending.includes(id))
          reject("messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.")
        if (!isText(content)) reject(`messages[${index}].content: expected a string or a list of texts`)
        pending = pending.filter((other) => other !== id)
        break
      }
      default:
        reject(
          `Invalid value: '${String(role)}'. Supported values are: 'system', 'assistant', 'user', and 'tool'.`,
        )
    }
    previous = String(role)
  }
  if (pending.length > 0) reject(`tool_call_ids did not have response messages: ${pending.join(', ')}`)
  if (previous !== 'user' && previous !== 'tool')
    reject('The conversation must end with a user or tool message.')
}

/** A string or a list of parts with text; none is empty. */
function isText(content: unknown): boolean {
  if (typeof content === 'string') return content !== ''
  return (
    Array.isArray(content) &&
    content.length > 0 &&
    content.every((part) => part?.type === 'text' && isText(part.text))
  )
}

function validateUserContent(content: unknown, index: number, reject: Reject): void {
  if (typeof content === 'string' && content !== '') return
  if (!Array.isArray(content) || content.length === 0) return reject(`messages[${index}].content: empty`)
  for (const part of content) {
    const isValid =
      (part.type === 'text' && typeof part.text === 'string' && part.text !== '') ||
      (part.type === 'image_url' && /^data:image\/[a-z]+;base64,.+/.test(part.image_url?.url)) ||
      (part.type === 'input_audio' && /^(wav|mp3)$/.test(part.input_audio?.format)) ||
      (part.type === 'file' && typeof part.file?.file_data === 'string')
    if (!isValid) reject(`Invalid content part in messages[${index}]: ${JSON.stringify(part).slice(0, 100)}`)
  }
}

/** Returns the ids of its calls. */
function validateAssistant(
  message: Readonly<Record<string, unknown>>,
  index: number,
  ids: Set<string>,
  reject: Reject,
): string[] {
  const { content, tool_calls: calls } = message
  if (calls === undefined) {
    if (!isText(content) || (typeof content === 'string' && content.trim() === ''))
      reject(`Invalid value for 'messages[${index}].content': expected a text that is not empty`)
    return []
  }
  if (!Array.isArray(calls) || calls.length === 0)
    return reject(`Invalid 'messages[${index}].tool_calls': empty array.`)
  return calls.map((call) => {
    const { id, type, function: called } = call
    const at = `messages[${index}].tool_calls`
    if (typeof id !== 'string' || id === '' || id.length > 40)
      reject(`Invalid '${at}.id': 1 to 40 characters.`)
    if (ids.has(id)) reject(`Duplicate value for '${at}.id': ${id}`)
    ids.add(id)
    if (type !== 'function') reject(`Invalid '${at}.type'`)
    if (!namePattern.test(called.name)) reject(`Invalid '${at}.function.name': ${called.name}`)
    if (!isJson(called.arguments)) reject(`Invalid '${at}.function.arguments': expected JSON.`)
    return id
  })
}

/** No arguments at all are accepted. */
function isJson(text: string): boolean {
  try {
    if (text !== '') JSON.parse(text)
    return true
  } catch {
    return false
  }
}
