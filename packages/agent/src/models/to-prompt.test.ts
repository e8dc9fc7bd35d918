import { describe, expect, test } from 'vitest'
import type { AssistantPart, HistoryItem, HistoryResult, UserPart } from '../history/history-item.ts'
import { toPrompt } from './to-prompt.ts'
import { createWireNames } from './wire-names.ts'

const google = { provider: 'google.generative-ai', modelId: 'gemini-3-pro' }
const anthropic = { provider: 'anthropic.messages', modelId: 'claude' }
const openai = { provider: 'openai-compatible.chat', modelId: 'qwen3' }
const names = createWireNames(['read', 'api/get'])

let id = 0
const base = (): { id: number; at: number } => ({ id: id++, at: 0 })
const user = (...parts: (string | UserPart)[]): HistoryItem => ({
  type: 'user',
  source: 'person',
  parts: parts.map((part) => (typeof part === 'string' ? { type: 'text', text: part } : part)),
  ...base(),
})
const assistant = (model: string, ...parts: AssistantPart[]): HistoryItem => ({
  type: 'assistant',
  model,
  parts,
  ...base(),
})
const results = (...list: HistoryResult[]): HistoryItem => ({ type: 'results', results: list, ...base() })
const text = (value: string): AssistantPart => ({ type: 'text', text: value })
const call = (callId: string, name = 'read', input: unknown = {}): AssistantPart => ({
  type: 'call',
  callId,
  name,
  input,
})
const ok = (callId: string, content = 'ok'): HistoryResult => ({
  callId,
  name: 'read',
  status: 'success',
  content,
})

describe('metadata and reasoning', () => {
  const items = [
    user('Hi'),
    assistant(
      'google:gemini-3-pro',
      { type: 'reasoning', text: 'Hmm', metadata: { google: { thoughtSignature: 'a' } } },
      { type: 'call', callId: '1', name: 'read', input: {}, metadata: { google: { thoughtSignature: 'b' } } },
    ),
    results(ok('1')),
  ]

  test('are sent to the model that produced them', () => {
    expect(toPrompt(items, { model: google, names })[1]).toEqual({
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'Hmm', providerOptions: { google: { thoughtSignature: 'a' } } },
        {
          type: 'tool-call',
          toolCallId: '1',
          toolName: 'read',
          input: {},
          providerOptions: { google: { thoughtSignature: 'b' } },
        },
      ],
    })
  })

  test('broken characters in metadata are replaced, because the request would be rejected', () => {
    const part: AssistantPart = { ...text('Hi'), metadata: { google: { thoughtSignature: 'a\ud800' } } }
    expect(toPrompt([assistant('google:gemini-3-pro', part)], { model: google, names })[1]?.content).toEqual([
      { type: 'text', text: 'Hi', providerOptions: { google: { thoughtSignature: 'a\ufffd' } } },
    ])
  })

  test.each([anthropic, openai, { ...google, modelId: 'gemini-2.5-flash' }])(
    'not to $modelId, which gets only the call',
    (model) => {
      expect(toPrompt(items, { model, names })[1]?.content).toEqual([
        { type: 'tool-call', toolCallId: '1', toolName: 'read', input: {} },
      ])
    },
  )
})

describe('results', () => {
  test('directly after their calls, in order, with what a person sent in between moved behind them', () => {
    const prompt = toPrompt(
      [
        user('Hi'),
        assistant('x:y', text('Two calls.'), call('1'), call('2')),
        user('By the way'),
        results(ok('2', 'second'), ok('1', 'first'), ok('3', 'of nobody')),
      ],
      { model: openai, names },
    )
    expect(prompt.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
    expect(prompt[2]?.content).toMatchObject([
      { toolCallId: '1', output: { type: 'text', value: 'first' } },
      { toolCallId: '2', output: { type: 'text', value: 'second' } },
    ])
  })

  test('a call without a result is lost', () => {
    const prompt = toPrompt([user('Hi'), assistant('x:y', call('1')), user('Still there?')], {
      model: openai,
      names,
    })
    expect(prompt[2]?.content).toMatchObject([
      { output: { type: 'error-text', value: 'lost: the result of this call was not recorded' } },
    ])
  })

  test('repeated, empty and invalid ids become unique, and keep their results', () => {
    const prompt = toPrompt(
      [
        user('Hi'),
        assistant('x:y', call('a'), call('a'), call(''), call('not valid!')),
        results(ok('a', '1'), ok('a', '2'), ok('', '3'), ok('not valid!', '4')),
        assistant('x:y', call('a')),
        results(ok('a', '5')),
      ],
      { model: anthropic, names },
    )
    const pairs = prompt.flatMap((message) =>
      message.role === 'tool'
        ? message.content.flatMap((part) =>
            part.type === 'tool-result' ? [[part.toolCallId, part.output]] : [],
          )
        : [],
    )
    expect(pairs).toEqual(
      ['a', 'curfew_2', 'curfew_3', 'curfew_4', 'curfew_5'].map((wireId, index) => [
        wireId,
        { type: 'text', value: String(index + 1) },
      ]),
    )
  })

  test.each(['error', 'cancelled'] as const)(
    '%s is an error for every provider, also if it was denied',
    (status) => {
      const denied = { callId: '1', name: 'read', status, code: 'DENIED', content: 'DENIED: no' }
      const prompt = toPrompt([user('Hi'), assistant('x:y', call('1')), results(denied)], {
        model: anthropic,
        names,
      })
      expect(prompt[2]?.content).toMatchObject([{ output: { type: 'error-text', value: 'DENIED: no' } }])
    },
  )

  test('files go to providers that accept them in results', () => {
    const result: HistoryResult = {
      ...ok('1', '[image image/png]'),
      parts: [
        { type: 'text', text: 'x' },
        { type: 'image', data: 'aGk=', mediaType: 'image/png' },
        { type: 'file', data: 'aGk=', mediaType: 'application/zip' },
      ],
    }
    const output = (model: typeof google): unknown => {
      const prompt = toPrompt([user('Hi'), assistant('x:y', call('1')), results(result)], { model, names })
      return (prompt[2]!.content as { output: unknown }[])[0]!.output
    }
    const content = {
      type: 'content',
      value: [
        { type: 'text', text: '[image image/png]' },
        { type: 'file', data: { type: 'data', data: 'aGk=' }, mediaType: 'image/png' },
      ],
    }
    expect(output(google)).toEqual(content)
    expect(output(anthropic)).toEqual(content)
    expect(output(openai)).toEqual({ type: 'text', value: '[image image/png]' })
  })
})

describe('messages', () => {
  test('the system prompt is first; empty texts are dropped; neighbours are merged', () => {
    const prompt = toPrompt(
      [
        user('a'),
        user(' ', 'b'),
        assistant('x:y', text('')),
        user('c'),
        assistant('x:y', text('d')),
        assistant('x:y', text('e')),
        user('f'),
      ],
      { model: openai, system: 'Be brief.', names },
    )
    const textParts = (...values: string[]): unknown[] =>
      values.map((value) => ({ type: 'text', text: value }))
    expect(prompt).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: textParts('a', 'b', 'c') },
      { role: 'assistant', content: textParts('d', 'e') },
      { role: 'user', content: textParts('f') },
    ])
  })

  test('a history that starts and ends with a response', () => {
    const prompt = toPrompt([assistant('x:y', text('Hello'))], { model: anthropic, names })
    expect(prompt.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  })

  test('an input that is no object is wrapped', () => {
    const items = [user('Hi'), assistant('x:y', call('1', 'read', '{"broken'), call('2', 'read', [1]))]
    expect(toPrompt(items, { model: google, names })[1]?.content).toMatchObject([
      { input: { input: '{"broken' } },
      { input: { input: [1] } },
    ])
  })

  test('files of a person', () => {
    const file = (mediaType: string, data = 'aGk='): UserPart => ({
      type: 'file',
      data,
      mediaType,
      name: 'a',
    })
    const items = [
      user(file('image/png'), file('text/csv'), file('application/zip'), file('image/png', 'broken!')),
    ]
    expect(toPrompt(items, { model: openai, names })[0]?.content).toEqual([
      { type: 'file', data: { type: 'data', data: 'aGk=' }, mediaType: 'image/png', filename: 'a' },
      { type: 'text', text: '[file a (text/csv)]\nhi' },
      { type: 'text', text: '[file a (application/zip): the model does not accept this type of file]' },
      { type: 'text', text: '[file a (image/png): its data is empty or damaged]' },
    ])
  })

  test('cache markers for Anthropic only: system, and the last two messages', () => {
    const items = [
      user('a'),
      assistant('x:y', text('b')),
      user('c'),
      assistant('x:y', call('1')),
      results(ok('1')),
    ]
    const marked = (model: typeof google): string[] =>
      toPrompt(items, { model, system: 's', names })
        .filter(({ providerOptions }) => providerOptions !== undefined)
        .map(({ role }) => role)
    expect(marked(anthropic)).toEqual(['system', 'user', 'tool'])
    expect(marked(google)).toEqual([])
    expect(marked(openai)).toEqual([])
  })

  test('names of tools are mapped, also unknown ones', () => {
    const items = [user('Hi'), assistant('x:y', call('1', 'api/get'), call('2', 'no such tool'))]
    const [first, second] = toPrompt(items, { model: openai, names })[1]!.content as { toolName: string }[]
    expect(names.fromWire(first!.toolName)).toBe('api/get')
    expect(second!.toolName).toMatch(/^no_such_tool_[0-9a-f]{12}$/)
  })

  test('is fast enough for long conversations', () => {
    const items = Array.from({ length: 1_000 }, (_, index) => [
      assistant('x:y', ...Array.from({ length: 5 }, (__, each) => call(`${index}-${each}`))),
      results(...Array.from({ length: 5 }, (__, each) => ok(`${index}-${each}`))),
    ]).flat()
    const start = performance.now()
    toPrompt([user('Hi'), ...items], { model: openai, names })
    // About 10 ms; quadratic behaviour would take seconds.
    expect(performance.now() - start).toBeLessThan(1_500)
  })
})
