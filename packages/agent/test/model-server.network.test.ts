import { describe, expect, test } from 'vitest'
import { anthropicFormat } from '../../../packages/torture/src/model-server/anthropic-format.ts'
import { googleFormat } from '../../../packages/torture/src/model-server/google-format.ts'
import { openaiFormat } from '../../../packages/torture/src/model-server/openai-format.ts'
import { startModelServer } from '../../../packages/torture/src/model-server/start-model-server.ts'
import type { WireFormat } from '../../../packages/torture/src/model-server/wire-format.ts'

/** The servers reject what the real APIs reject; otherwise the other tests would prove nothing. */

type Body = Record<string, unknown>

function problemOf(format: WireFormat, path: string, headers: Record<string, string>) {
  return (body: Body): string | null => format.validate({ path, headers, body })?.message ?? null
}

describe('openai', () => {
  const problem = problemOf(openaiFormat, '/v1/chat/completions', { authorization: 'Bearer x' })
  const user = { role: 'user', content: 'Hi' }
  const calls = (...ids: string[]): Body => ({
    role: 'assistant',
    content: null,
    tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'read', arguments: '{}' } })),
  })
  const result = (id: string): Body => ({ role: 'tool', tool_call_id: id, content: 'ok' })
  const body = (...messages: Body[]): Body => ({ model: 'm', stream: true, messages })
  const tool = (name: string, parameters: unknown): Body => ({
    ...body(user),
    tools: [{ type: 'function', function: { name, parameters } }],
  })

  test('valid requests', () => {
    expect(
      problem(body({ role: 'system', content: 's' }, user, calls('a', 'b'), result('b'), result('a'), user)),
    ).toBeNull()
    expect(problem(tool('read', { type: 'object', properties: {} }))).toBeNull()
  })

  test.each([
    ['no messages', body()],
    ['an empty message', body({ role: 'user', content: '' })],
    ['an empty part', body({ role: 'user', content: [{ type: 'text', text: '' }] })],
    ['a response at the beginning', body({ role: 'assistant', content: 'x' }, user)],
    ['a response at the end', body(user, { role: 'assistant', content: 'x' })],
    ['an empty response', body(user, { role: 'assistant', content: '' }, user)],
    ['two user messages', body(user, user)],
    ['a late system message', body(user, { role: 'system', content: 'x' })],
    ['a missing result', body(user, calls('a', 'b'), result('a'), user)],
    ['a result twice', body(user, calls('a'), result('a'), result('a'), user)],
    ['a result of nothing', body(user, result('a'))],
    ['a message before the result', body(user, calls('a'), user, result('a'))],
    ['the same id twice', body(user, calls('a', 'a'), result('a'), result('a'))],
    ['an empty id', body(user, calls(''), result(''))],
    ['a long id', body(user, calls('x'.repeat(41)), result('x'.repeat(41)))],
    ['half of a surrogate pair', body({ role: 'user', content: '\ud83d' })],
    ['a tool choice without tools', { ...body(user), tool_choice: 'none' }],
    ['no tools', { ...body(user), tools: [] }],
    ['an invalid name', tool('a.b', { type: 'object', properties: {} })],
    ['a schema without type', tool('a', { properties: {} })],
    ['a schema with alternatives', tool('a', { type: 'object', properties: {}, anyOf: [] })],
  ])('%s', (_, invalid) => {
    expect(problem(invalid)).toBeTypeOf('string')
  })
})

describe('anthropic', () => {
  const problem = problemOf(anthropicFormat, '/v1/messages', {
    'x-api-key': 'x',
    'anthropic-version': '2023-06-01',
  })
  const message = (role: string, ...content: Body[]): Body => ({ role, content })
  const text = { type: 'text', text: 'Hi' }
  const use = (id: string, input: unknown = {}): Body => ({ type: 'tool_use', id, name: 'read', input })
  const result = (id: string, rest: Body = {}): Body => ({
    type: 'tool_result',
    tool_use_id: id,
    content: 'ok',
    ...rest,
  })
  const thinking = { type: 'thinking', thinking: 'Hmm', signature: 's' }
  const user = message('user', text)
  const body = (...messages: Body[]): Body => ({ model: 'm', stream: true, max_tokens: 5, messages })
  const marked = { ...text, cache_control: { type: 'ephemeral' } }

  test('valid requests', () => {
    const messages = [
      user,
      message('assistant', thinking, text, use('a'), use('b')),
      message('user', result('b'), result('a'), text),
    ]
    expect(problem({ ...body(...messages), system: [text] })).toBeNull()
  })

  test.each([
    ['no messages', body()],
    ['an empty message', body(message('user'))],
    ['a blank text', body(message('user', { type: 'text', text: ' ' }))],
    ['a blank system prompt', { ...body(user), system: [{ type: 'text', text: '' }] }],
    ['a response at the beginning', body(message('assistant', text), user)],
    ['a response at the end', body(user, message('assistant', text))],
    ['a missing result', body(user, message('assistant', use('a')), user)],
    ['a missing result at the end', body(user, message('assistant', use('a')))],
    [
      'text before the results',
      body(user, message('assistant', use('a')), message('user', text, result('a'))),
    ],
    ['a result twice', body(user, message('assistant', use('a')), message('user', result('a'), result('a')))],
    ['a result of nothing', body(message('user', result('a')))],
    ['the same id twice', body(user, message('assistant', use('a'), use('a')), message('user', result('a')))],
    ['an invalid id', body(user, message('assistant', use('a!')), message('user', result('a!')))],
    [
      'an input that is no object',
      body(user, message('assistant', use('a', 'x')), message('user', result('a'))),
    ],
    [
      'an empty error',
      body(
        user,
        message('assistant', use('a')),
        message('user', result('a', { content: '', is_error: true })),
      ),
    ],
    ['thinking at the end', body(user, message('assistant', text, thinking), user)],
    [
      'thinking without a signature',
      body(user, message('assistant', { ...thinking, signature: '' }, text), user),
    ],
    ['five cache markers', body(message('user', marked, marked, marked, marked, marked))],
    [
      'a broken image',
      body(
        message('user', { type: 'image', source: { type: 'base64', media_type: 'image/png', data: '!' } }),
      ),
    ],
    [
      'an unknown image',
      body(
        message('user', {
          type: 'image',
          source: { type: 'base64', media_type: 'image/tiff', data: 'aGk=' },
        }),
      ),
    ],
    ['half of a surrogate pair', body(message('user', { type: 'text', text: '\udc00' }))],
    ['a schema without type', { ...body(user), tools: [{ name: 'a', input_schema: {} }] }],
    ['an invalid name', { ...body(user), tools: [{ name: 'a.b', input_schema: { type: 'object' } }] }],
    ['a tool choice without tools', { ...body(user), tool_choice: { type: 'none' } }],
  ])('%s', (_, invalid) => {
    expect(problem(invalid)).toBeTypeOf('string')
  })
})

describe('google', () => {
  const problem = problemOf(googleFormat, '/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse', {
    'x-goog-api-key': 'x',
  })
  const content = (role: string, ...parts: Body[]): Body => ({ role, parts })
  const text = { text: 'Hi' }
  const call = (name: string, args: unknown = {}): Body => ({
    functionCall: { name, args },
    thoughtSignature: 's',
  })
  const response = (name: string): Body => ({ functionResponse: { name, response: { content: 'ok' } } })
  const user = content('user', text)
  const body = (...contents: Body[]): Body => ({ contents })

  test('valid requests', () => {
    expect(
      problem(
        body(
          user,
          content('model', text, call('a'), call('b')),
          content('user', response('a'), response('b')),
          user,
        ),
      ),
    ).toBeNull()
  })

  test.each([
    ['no contents', body()],
    ['no parts', body(content('user'))],
    ['an empty text', body(content('user', { text: '' }))],
    ['an empty part', body(content('user', {}))],
    ['a system role', body(content('system', text), user)],
    ['a response at the beginning', body(content('model', text), user)],
    ['a response at the end', body(user, content('model', text))],
    ['a missing result', body(user, content('model', call('a'), call('b')), content('user', response('a')))],
    ['no results', body(user, content('model', call('a')), user)],
    [
      'results in another order',
      body(user, content('model', call('a'), call('b')), content('user', response('b'), response('a'))),
    ],
    ['a result of nothing', body(content('user', response('a')))],
    [
      'a call after a response',
      body(user, content('model', text), content('model', call('a')), content('user', response('a'))),
    ],
    [
      'a call without a signature',
      body(user, content('model', { functionCall: { name: 'a', args: {} } }), content('user', response('a'))),
    ],
    [
      'arguments that are no object',
      body(user, content('model', call('a', [])), content('user', response('a'))),
    ],
    ['an invalid name', body(user, content('model', call('9')), content('user', response('9')))],
    ['broken data', body(content('user', { inlineData: { mimeType: 'image/png', data: '!' } }))],
    [
      'the same declaration twice',
      {
        ...body(user),
        tools: [
          {
            functionDeclarations: [1, 2].map(() => ({ name: 'a', parametersJsonSchema: { type: 'object' } })),
          },
        ],
      },
    ],
    ['an unknown mode', { ...body(user), toolConfig: { functionCallingConfig: { mode: 'SOMETIMES' } } }],
  ])('%s', (_, invalid) => {
    expect(problem(invalid)).toBeTypeOf('string')
  })
})

test.each([openaiFormat, anthropicFormat, googleFormat])('a key is required', (format) => {
  expect(format.checkKey({ path: '', headers: {}, body: {} })?.status).toBeOneOf([401, 403])
})

test('a server rejects what is not in its script, and closes with open responses', async () => {
  const server = await startModelServer({ format: 'openai', script: [[{ stall: true }]] })
  const body = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Hi' }] })
  const send = (): Promise<Response> =>
    fetch(`${server.url}/chat/completions`, { method: 'POST', headers: { authorization: 'Bearer x' }, body })
  const stalled = await send()
  expect(stalled.status).toBe(200)
  const second = await send()
  expect(second.status).toBe(400)
  expect(await second.text()).toContain('no reply for request 2')
  expect(server.openResponses).toBe(1)
  await server.close()
  await expect(stalled.text()).rejects.toThrow()
})

test('a local server needs no key', async () => {
  const server = await startModelServer({
    format: 'openai',
    script: [[{ text: 'Hello' }]],
    requiresKey: false,
  })
  const body = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Hi' }] })
  const response = await fetch(`${server.url}/chat/completions`, { method: 'POST', body })
  expect(await response.text()).toContain('"content":"Hello"')
  await server.close()
})
