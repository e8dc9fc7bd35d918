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

/** Google's `streamGenerateContent`. */
export const googleFormat: WireFormat = {
  basePath: '/v1beta',
  checkKey,
  validate,
  error: errorResponse,
  createWriter,
}

function createWriter(): StreamWriter {
  const chunk = (candidate: object, rest: object = {}): string =>
    event({
      candidates: [{ index: 0, ...candidate }],
      modelVersion: 'test',
      responseId: 'response-1',
      ...rest,
    })
  const part = (content: object): string => chunk({ content: { role: 'model', parts: [content] } })
  return {
    start: () => '',
    text: (text) => part({ text }),
    reasoning: (text, signature) =>
      part({ text, thought: true, ...(signature !== undefined && { thoughtSignature: signature }) }),
    redacted: () => '',
    call: ({ id, name, input, signature }) =>
      part({
        functionCall: { ...(id !== undefined && { id }), name, args: input },
        ...(signature !== undefined && { thoughtSignature: signature }),
      }),
    ping: () => ': ping\n\n',
    error: (kind) => event(errorResponse(kind).body),
    finish(finish, { input, output, cached = 0, reasoning = 0 }) {
      const usageMetadata = {
        promptTokenCount: input,
        candidatesTokenCount: output - reasoning,
        totalTokenCount: input + output,
        cachedContentTokenCount: cached,
        thoughtsTokenCount: reasoning,
      }
      // The API has no finish reason of its own for calls.
      const finishReason = finishReasons[finish]
      return chunk({ content: { role: 'model', parts: [{ text: '' }] }, finishReason }, { usageMetadata })
    },
  }
}

const finishReasons = {
  stop: 'STOP',
  calls: 'STOP',
  length: 'MAX_TOKENS',
  filter: 'SAFETY',
  'malformed-call': 'MALFORMED_FUNCTION_CALL',
}

function errorResponse(kind: ErrorKind): ErrorResponse {
  const response = (code: number, status: string, message: string, details?: unknown[]): ErrorResponse => ({
    status: code,
    body: { error: { code, message, status, ...(details !== undefined && { details }) } },
  })
  switch (kind) {
    case 'rate-limit':
      return response(429, 'RESOURCE_EXHAUSTED', quotaMessage, quotaDetails('Minute', '34.074824224s'))
    case 'quota':
      return response(429, 'RESOURCE_EXHAUSTED', quotaMessage, quotaDetails('Day', '34s'))
    case 'server-error':
      return response(500, 'INTERNAL', 'An internal error has occurred.')
    case 'overloaded':
      return response(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.')
    case 'auth': {
      const details = [
        {
          '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
          reason: 'API_KEY_INVALID',
          domain: 'googleapis.com',
        },
      ]
      return response(400, 'INVALID_ARGUMENT', 'API key not valid: AIzaTest1234567890.', details)
    }
    case 'not-found':
      return response(404, 'NOT_FOUND', 'models/test is not found for API version v1beta')
    case 'context-overflow': {
      const message =
        'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'
      return response(400, 'INVALID_ARGUMENT', message)
    }
    default:
      return response(kind.status, 'INVALID_ARGUMENT', kind.message)
  }
}

/** The same for a minute and for a day. */
const quotaMessage =
  'You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.'

function quotaDetails(period: 'Minute' | 'Day', retryDelay: string): unknown[] {
  return [
    {
      '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
      violations: [
        {
          quotaMetric: 'generativelanguage.googleapis.com/generate_content_free_tier_requests',
          quotaId: `GenerateRequestsPer${period}PerProjectPerModel-FreeTier`,
        },
      ],
    },
    { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay },
  ]
}

type Reject = (message: string, status?: number) => never
type Part = Readonly<Record<string, unknown>>

const namePattern = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/

function checkKey({ headers }: ReceivedRequest): Problem | null {
  return headers['x-goog-api-key']
    ? null
    : { status: 403, message: "Method doesn't allow unregistered callers" }
}

function validate({ path, body }: ReceivedRequest): Problem | null {
  return firstProblem((reject) => {
    const model = /^\/v1beta\/models\/([^/:]+):streamGenerateContent\?alt=sse$/.exec(path)?.[1]
    if (model === undefined) return reject(`unknown path ${path}`, 404)
    if (findLoneSurrogate(body)) reject('Invalid JSON payload received. Unexpected token.')
    const { contents, systemInstruction: system, tools, toolConfig } = body
    if (isRecord(system)) {
      for (const { text } of (system.parts ?? []) as Part[])
        if (typeof text !== 'string' || text === '') reject('systemInstruction: empty text parameter')
    }
    if (Array.isArray(tools)) validateTools(tools, reject)
    if (isRecord(toolConfig)) {
      const { mode } = (toolConfig.functionCallingConfig ?? {}) as Part
      if (!/^(AUTO|ANY|NONE|VALIDATED)$/.test(String(mode))) reject('Invalid value at tool_config')
    }
    if (!Array.isArray(contents) || contents.length === 0)
      return reject('* GenerateContentRequest.contents: contents is not specified')
    validateContents(contents, /gemini-3/.test(model), reject)
  })
}

function validateTools(tools: readonly Part[], reject: Reject): void {
  const names = new Set<unknown>()
  const declarations = tools.flatMap((tool) => (tool.functionDeclarations ?? []) as Part[])
  if (declarations.length === 0) reject('tools: at least one function declaration is required')
  for (const [index, { name, parametersJsonSchema: schema }] of declarations.entries()) {
    if (typeof name !== 'string' || !namePattern.test(name))
      reject(
        `* GenerateContentRequest.tools[0].function_declarations[${index}].name: Invalid function name. Must start with a letter or an underscore.`,
      )
    if (names.has(name)) reject(`Duplicate function declaration found: ${String(name)}`)
    names.add(name)
    if (!isRecord(schema) || schema.type !== 'object')
      reject(`function_declarations[${index}].parameters: schema should be of type OBJECT`)
  }
}

function validateContents(contents: readonly Part[], needsSignatures: boolean, reject: Reject): void {
  let calls: Part[] = []
  for (const [index, { role, parts }] of contents.entries()) {
    if (role !== 'user' && role !== 'model') reject('Please use a valid role: user, model.')
    if (!Array.isArray(parts) || parts.length === 0)
      return reject(`* GenerateContentRequest.contents[${index}].parts: contents.parts must not be empty.`)
    for (const part of parts) validatePart(part, index, reject)
    const responses = of(parts, 'functionResponse')
    if (calls.length > 0 || responses.length > 0) validateResponses(role, calls, responses, reject)
    const isAfterUser = index > 0 && contents[index - 1]?.role === 'user'
    calls = of(parts, 'functionCall')
    if (calls.length > 0 && (role !== 'model' || !isAfterUser))
      reject(
        'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
      )
    const first = parts.find((part: Part) => 'functionCall' in part)
    if (needsSignatures && first !== undefined && typeof first.thoughtSignature !== 'string')
      reject(
        `Function call \`${first.functionCall.name}\` in the ${index + 1}. content block is missing a \`thought_signature\`.`,
      )
  }
  if (calls.length > 0)
    reject(
      'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
    )
  if (contents[0]?.role !== 'user') reject('Please ensure that multiturn requests start with a user turn')
  if (contents.at(-1)?.role !== 'user')
    reject('Please ensure that multiturn requests end with a user turn or a function response')
}

function of(parts: readonly Part[], key: string): Part[] {
  return parts.filter((part) => key in part).map((part) => part[key] as Part)
}

function validateResponses(
  role: unknown,
  calls: readonly Part[],
  responses: readonly Part[],
  reject: Reject,
): void {
  if (role !== 'user' || calls.length !== responses.length)
    reject(
      'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
    )
  responses.forEach(({ id, name }, index) => {
    const call = calls[index]
    if (name !== call?.name || id !== call?.id)
      reject(
        `Please ensure that function response turn comes immediately after a function call turn: ${String(name)}`,
      )
  })
}

function validatePart(part: Part, index: number, reject: Reject): void {
  const { text, functionCall, functionResponse, inlineData, thoughtSignature } = part
  const at = `* GenerateContentRequest.contents[${index}].parts`
  const kinds = ['text', 'functionCall', 'functionResponse', 'inlineData'].filter(
    (key) => part[key] !== undefined,
  )
  if (kinds.length !== 1) reject(`${at}: required oneof field 'data' must have one initialized field`)
  if (text !== undefined && (typeof text !== 'string' || (text === '' && thoughtSignature === undefined)))
    reject('Unable to submit request because it has an empty text parameter.')
  if (isRecord(functionCall)) {
    if (!namePattern.test(String(functionCall.name)))
      reject(`${at}.function_call.name: Invalid function name.`)
    if (!isRecord(functionCall.args))
      reject(
        `Invalid value at 'contents[${index}].parts.function_call.args' (type.googleapis.com/google.protobuf.Struct)`,
      )
  }
  if (isRecord(functionResponse)) {
    if (!namePattern.test(String(functionResponse.name)))
      reject(`${at}.function_response.name: Name cannot be empty.`)
    if (!isRecord(functionResponse.response)) reject(`${at}.function_response.response: Struct`)
    for (const { inlineData: data } of (functionResponse.parts ?? []) as Part[])
      validateData(data, at, reject)
  }
  if (inlineData !== undefined) validateData(inlineData, at, reject)
}

function validateData(data: unknown, at: string, reject: Reject): void {
  const { mimeType, data: base64 } = (data ?? {}) as Part
  if (!/^(image|audio|video|application|text)\/.+/.test(String(mimeType)))
    reject(`Unsupported MIME type: ${String(mimeType)}`)
  if (!isBase64(base64)) reject(`${at}.inline_data.data: Base64 decoding failed`)
}
