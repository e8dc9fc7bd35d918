import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import {
  call,
  finish,
  runToEnd,
  scriptedAttempts,
  text,
  useFakeClock,
} from '../../test/support/scripted-attempts.ts'

useFakeClock()

describe('a response', () => {
  test('yields text, reasoning and calls, then everything in order with its metadata', async () => {
    const signature = { anthropic: { signature: 'abc' } }
    const model = scriptedAttempts({
      steps: [
        { type: 'stream-start', warnings: [] },
        { type: 'reasoning-start', id: '0' },
        { type: 'reasoning-delta', id: '0', delta: 'Let me ' },
        { type: 'reasoning-delta', id: '0', delta: 'see.' },
        { type: 'reasoning-delta', id: '0', delta: '', providerMetadata: signature },
        { type: 'reasoning-end', id: '0' },
        { type: 'reasoning-start', id: '1', providerMetadata: { anthropic: { redactedData: 'xyz' } } },
        { type: 'reasoning-end', id: '1' },
        { type: 'text-start', id: '2' },
        text('Hel', '2'),
        text('lo', '2'),
        { type: 'text-end', id: '2' },
        { ...call('a', 'read', '{"path":"x"}'), providerMetadata: { google: { thoughtSignature: 's' } } },
        call('b', 'list', ''),
        call('c', 'broken', '{"path":'),
        finish,
      ],
    })
    const { signal } = new AbortController()
    const { events, error } = await runToEnd(model, { signal })
    expect(error).toBeNull()
    expect(getEventListeners(signal, 'abort')).toEqual([])
    expect(events).toEqual([
      { type: 'reasoning', text: 'Let me ' },
      { type: 'reasoning', text: 'see.' },
      { type: 'text', text: 'Hel' },
      { type: 'text', text: 'lo' },
      { type: 'call', callId: 'a', name: 'read', input: { path: 'x' } },
      { type: 'call', callId: 'b', name: 'list', input: {} },
      { type: 'call', callId: 'c', name: 'broken', input: '{"path":' },
      {
        type: 'finish',
        finishReason: 'stop',
        usage: {
          inputTokens: 7,
          cachedInputTokens: 0,
          cacheWriteTokens: null,
          outputTokens: 3,
          reasoningTokens: null,
        },
        parts: [
          { type: 'reasoning', text: 'Let me see.', metadata: signature },
          { type: 'reasoning', text: '', metadata: { anthropic: { redactedData: 'xyz' } } },
          { type: 'text', text: 'Hello' },
          {
            type: 'call',
            callId: 'a',
            name: 'read',
            input: { path: 'x' },
            metadata: { google: { thoughtSignature: 's' } },
          },
          { type: 'call', callId: 'b', name: 'list', input: {} },
          { type: 'call', callId: 'c', name: 'broken', input: '{"path":' },
        ],
      },
    ])
    // Complete, so the connection can be used again.
    expect(model.signals[0]?.aborted).toBe(false)
  })

  test('names and ids of megabytes are shortened, because they are kept with every call', async () => {
    const { events } = await runToEnd(
      scriptedAttempts({ steps: [call('i'.repeat(1_000_000), 'n'.repeat(1_000_000), '{}'), finish] }),
    )
    const part = { type: 'call', callId: 'i'.repeat(256), name: 'n'.repeat(256), input: {} }
    expect(events[0]).toEqual(part)
    expect(events.at(-1)).toMatchObject({ parts: [part] })
  })

  test('parts with wrong types are skipped, and never crash', async () => {
    const wrong: unknown[] = [
      null,
      undefined,
      'text',
      {},
      { type: 5 },
      { type: 'text-delta', id: {}, delta: 5 },
      { type: 'text-end' },
      { type: 'text-delta', id: '1', delta: 'ok', providerMetadata: 'no' },
      { type: 'reasoning-delta', id: '1', delta: '', providerMetadata: { a: { self: 1n } } },
      { type: 'text-start', id: '2', providerMetadata: deep(500) },
      { type: 'tool-input-delta', id: 5, delta: null },
      { type: 'unknown-part' },
      { type: 'tool-call', providerExecuted: true },
      {
        type: 'finish',
        finishReason: 'stop',
        usage: { inputTokens: { total: Number.NaN, cacheRead: 1e308, cacheWrite: -1 }, outputTokens: null },
      },
    ]
    const { events, error } = await runToEnd(
      scriptedAttempts({ steps: wrong.filter((part) => part !== undefined) }),
    )
    expect(error).toBeNull()
    expect(events.at(-1)).toMatchObject({
      finishReason: 'other',
      // Two of 1e308 would add up to infinity, which a session cannot contain.
      usage: { inputTokens: null, cachedInputTokens: null, cacheWriteTokens: null, outputTokens: null },
      parts: [{ type: 'text', text: 'ok' }],
    })
  })

  test.each([
    ['a call without a name', [{ type: 'tool-call', toolCallId: 'a', input: '{}' }]],
    [
      'a call whose input is not a string',
      [{ type: 'tool-call', toolCallId: 'a', toolName: 'x', input: {} }],
    ],
    ['too many characters', [text('x'.repeat(60)), text('x'.repeat(41))]],
    ['too many calls', [1, 2, 3, 4].map((id) => call(String(id), 'x', '{}'))],
    ['a call with a long input', [call('a', 'x', `"${'x'.repeat(30)}"`)]],
    ['an input that never ends', Array(30).fill({ type: 'tool-input-delta', id: 'a', delta: 'xx' })],
    [
      'many inputs that never end',
      Array.from({ length: 30 }, (_, id) => ({ type: 'tool-input-delta', id: `${id}`, delta: '12345' })),
    ],
    ['many empty parts', Array.from({ length: 9 }, (_, id) => ({ type: 'text-start', id: `${id}` }))],
    [
      'many empty inputs',
      Array.from({ length: 9 }, (_, id) => ({ type: 'tool-input-delta', id: `${id}`, delta: '' })),
    ],
    ['ids that are too long', [{ type: 'text-start', id: 'x'.repeat(100) }]],
    ['ids of inputs that are too long', [{ type: 'tool-input-delta', id: 'x'.repeat(100), delta: '' }]],
    ['metadata that is too long', [{ ...text('x'), providerMetadata: { a: { b: 'x'.repeat(100) } } }]],
  ])('%s ends the request', async (_, steps) => {
    const model = scriptedAttempts({ steps: [...steps, 'hang'] })
    const limits = { maxCharacters: 100, maxCalls: 3, maxInputCharacters: 20 }
    const { error } = await runToEnd(model, { limits })
    expect(error).toMatchObject({ kind: 'invalid-response', retryable: false })
    expect(error?.message).toMatch(/^test:scripted: the response contains /)
    expect(model.signals[0]?.aborted).toBe(true)
    expect(model.cancelled).toBe(1)
  })

  test('a failure keeps what was received, without incomplete calls', async () => {
    const { events, error } = await runToEnd(
      scriptedAttempts({
        steps: [
          text('Hi'),
          call('a', 'read', '{}'),
          { type: 'tool-input-start', id: 'b', toolName: 'write' },
          { type: 'tool-input-delta', id: 'b', delta: '{"te' },
          { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
        ],
      }),
    )
    expect(events).toHaveLength(2)
    expect(error).toMatchObject({
      kind: 'overloaded',
      retryable: true,
      parts: [
        { type: 'text', text: 'Hi' },
        { type: 'call', callId: 'a', name: 'read', input: {} },
      ],
    })
  })

  test.each([
    [null, 'connection', true],
    [{ unified: 'interrupted', raw: undefined }, 'connection', true],
    [{ unified: 'content-filter', raw: 'SAFETY' }, 'content-filter', false],
    [{ unified: 'error', raw: 'MALFORMED_FUNCTION_CALL' }, 'malformed', false],
  ])('finish reason %j is a failure', async (finishReason, kind, retryable) => {
    const steps = finishReason === null ? [text('x')] : [text('x'), { ...finish, finishReason }]
    const { error } = await runToEnd(scriptedAttempts({ steps }))
    expect(error).toMatchObject({ kind, retryable, parts: [{ type: 'text', text: 'x' }] })
  })
})

test.each([undefined, {}, { stream: 'x' }])('doStream resolves to %j', async (result) => {
  const model = scriptedAttempts({})
  model.doStream = async () => result as never
  const { error } = await runToEnd(model)
  expect(error).toMatchObject({ kind: 'invalid-response', retryable: false })
})

function deep(levels: number): object {
  let value = {}
  for (let level = 0; level < levels; level++) value = { value }
  return value
}
