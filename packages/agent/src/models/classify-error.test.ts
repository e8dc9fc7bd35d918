import { describe, expect, test } from 'vitest'
import { classifyError } from './classify-error.ts'

const classify = (error: unknown) => classifyError(error, 'p:m', 0)

test.each([
  [{ statusCode: 429 }, 'rate-limit'],
  [{ statusCode: 402 }, 'quota'],
  [{ statusCode: 413 }, 'context-overflow'],
  [{ statusCode: 401 }, 'auth'],
  [{ statusCode: 403 }, 'auth'],
  [{ statusCode: 503 }, 'overloaded'],
  [{ statusCode: 408 }, 'connection'],
  [{ statusCode: 404 }, 'other'],
  [{ statusCode: 429, responseBody: '{"error":{"code":"insufficient_quota","message":"x"}}' }, 'quota'],
  [
    { statusCode: 400, responseBody: '{"error":{"code":"context_length_exceeded","message":"x"}}' },
    'context-overflow',
  ],
  [
    { statusCode: 400, responseBody: '{"error":{"type":"exceed_context_size_error","message":"x"}}' },
    'context-overflow',
  ],
  [
    {
      statusCode: 400,
      responseBody: '[{"error":{"code":400,"message":"x","details":[{"reason":"API_KEY_INVALID"}]}}]',
    },
    'auth',
  ],
  [{ type: 'overloaded_error', message: 'Overloaded' }, 'overloaded'],
  [{ message: 'x', data: { error: { type: 'rate_limit_error' } } }, 'rate-limit'],
  [Object.assign(new Error('no key'), { name: 'AI_LoadAPIKeyError' }), 'auth'],
  [Object.assign(new Error('x'), { name: 'AI_JSONParseError' }), 'invalid-response'],
  [new Error('fetch', { cause: Object.assign(new Error('x'), { code: 'ECONNRESET' }) }), 'connection'],
  [new Error('something'), 'other'],
])('%j is %s', (error, kind) => {
  expect(classify(error).kind).toBe(kind)
})

const help = { '@type': 'type.googleapis.com/google.rpc.Help', links: [] }
const perMinute = { violations: [{ quotaId: 'GenerateRequestsPerMinutePerProjectPerModel' }] }
const perDay = { violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel' }] }
const retryInfo = { retryDelay: '3s' }

test.each([
  ['without a quota or a time', [help], 'quota'],
  ['per minute', [perMinute, help], 'rate-limit'],
  ['with a time', [help, retryInfo], 'rate-limit'],
  ['per day', [perDay, help, retryInfo], 'quota'],
  ['per minute and per day', [perMinute, perDay, retryInfo], 'quota'],
])("Google's exceeded quota %s", (_, details, kind) => {
  const message = 'You exceeded your current quota, please check your plan and billing details.'
  const responseBody = JSON.stringify({
    error: { code: 429, status: 'RESOURCE_EXHAUSTED', message, details },
  })
  expect(classify({ statusCode: 429, responseBody })).toMatchObject({
    kind,
    retryable: kind === 'rate-limit',
  })
})

test.each([
  'prompt is too long: 213462 tokens > 200000 maximum',
  'input length and `max_tokens` exceed context limit: 143291 + 64000 > 200000, decrease input length or `max_tokens` and try again',
  "This model's maximum context length is 8192 tokens. However, you requested 8203 tokens.",
  "Requested token count exceeds the model's maximum context length of 202752 tokens.",
  'Your input exceeds the context window of this model. Please adjust your input and try again.',
  'the request exceeds the available context size. try increasing the context size or enable context shift',
  'The prompt (total length 25938) is too long to fit into the model (context length 4096).',
  'The decoder prompt (length 5000) is longer than the maximum model length of 4096.',
  "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
  'Input length 131393 exceeds the maximum allowed input length of 131040 tokens.',
  'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
  'Input is too long for requested model.',
  'Prompt too long: 5152 tokens exceeds max_seq_len 2048',
])('too long for the model: %s', (message) => {
  expect(classify({ statusCode: 400, message })).toMatchObject({ kind: 'context-overflow', retryable: false })
  expect(classify({ statusCode: 503, message })).toMatchObject({ kind: 'overloaded' })
})

test('a wrong certificate is a connection error that does not go away', () => {
  const cause = Object.assign(new Error('self-signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
  expect(classify(new TypeError('fetch failed', { cause }))).toMatchObject({
    kind: 'connection',
    retryable: false,
  })
})

test('a response that is cut off is reported with its cause, not with what wraps it', () => {
  const closed = Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' })
  const wrap = (cause: unknown) =>
    Object.assign(new Error('Failed to process successful response', { cause }), {
      name: 'AI_APICallError',
      statusCode: 200,
    })
  const messageOf = (error: unknown) => classify(error).message
  expect(messageOf(wrap(new TypeError('terminated', { cause: closed })))).toBe(
    'p:m: the connection failed: other side closed',
  )
  expect(messageOf(wrap(new TypeError('terminated')))).toBe('p:m: the connection failed: terminated')
  expect(messageOf(new Error('with a reason of its own', { cause: closed }))).toContain('a reason of its own')
  const circular = new TypeError('terminated')
  circular.cause = circular
  expect(messageOf(wrap(circular))).toContain(': terminated')
})

describe('anything may be thrown', () => {
  const hostile: unknown[] = [
    undefined,
    null,
    5,
    'text',
    Symbol('x'),
    [],
    {},
    { error: null },
    { error: { details: [null, { violations: [null] }] } },
    { statusCode: '429', responseHeaders: 5, responseBody: 7 },
    { responseBody: '['.repeat(1_000_000) },
    { message: {} },
    new Proxy(
      {},
      {
        get: () => {
          throw new Error('no')
        },
      },
    ),
  ]
  test.each(hostile.map((error, index) => [index, error]))('%i', (_, error) => {
    expect(classify(error)).toMatchObject({ kind: 'other', retryable: false })
    expect(classify(error).message).toMatch(/^p:m: the request failed/)
  })
})

test('messages are one line, short, and without keys', () => {
  const keys = [
    'sk-proj-abcdef123456',
    'sk-ant-api03-AbC_dEf-123456',
    'AIzaSyD-1234567890abcdefghijklmnopqrst',
    'AQ.Ab8RN6abcdef',
    'gsk_abcdefgh12345678',
    '0123456789abcdef0123456789abcdef',
  ]
  for (const key of keys) {
    for (const text of [
      `Incorrect API key provided: ${key}.`,
      `https://x.test/?key=${key}&alt=sse`,
      `Bearer ${key}`,
      `"${key}"`,
    ]) {
      const { message } = classify({ statusCode: 401, message: `${text}\n\n${'long '.repeat(1_000)}` })
      expect(message).not.toContain(key)
      expect(message).not.toContain(key.slice(-8))
      expect(message.length).toBeLessThan(700)
      expect(message).not.toContain('\n')
    }
  }
})

test('only the key is removed from the sentence of a provider', () => {
  const { message } = classify({ statusCode: 401, message: 'Incorrect API key provided: sk-abcdef123456.' })
  expect(message).toMatch(/: Incorrect API key provided: \[removed\]$/)
})

test('names of models and ids of requests stay readable', () => {
  const { message } = classify({
    statusCode: 404,
    message: 'model: claude-sonnet-4-5-20250929 (request req_1)',
  })
  expect(message).toBe(
    'p:m: the request failed (HTTP 404): model: claude-sonnet-4-5-20250929 (request req_1)',
  )
})

describe('a known secret is removed before the message is shortened', () => {
  const secret = 'my-own-pass-phrase-of-the-server'
  const redact = (text: string): string => text.replaceAll(secret, '[secret KEY]')
  test.each([480, 490, 1_990, 65_520])('after %i characters', (at) => {
    for (const filler of ['x ', ' ', `?key=${'x'.repeat(100)}& `]) {
      const message = `${filler.repeat(at).slice(0, at)}${secret} end`
      const failed = classifyError({ statusCode: 400, message }, 'p:m', 0, redact)
      expect(failed.message).not.toContain(secret.slice(0, 6))
    }
  })
})

test.each([490, 1_990, 65_520])('half of what looks like a key is not shown: after %i characters', (at) => {
  for (const filler of [' ', `${'a1'.repeat(40)} `]) {
    const message = `${filler.repeat(at).slice(0, at)} sk-ant-api03-AbC_dEf-1234567890 end`
    expect(classify({ statusCode: 400, message }).message).not.toContain('sk-')
  }
})
