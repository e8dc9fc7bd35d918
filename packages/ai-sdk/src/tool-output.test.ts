import type { CallResult } from '@curfew/core'
import { expect, test } from 'vitest'
import { toModelOutput, toToolOutput } from './tool-output.ts'

const base = {
  id: 'x',
  name: 'draw',
  content: 'a circle',
  output: '',
  durationMs: 5,
  timeoutMs: 1_000,
  timeoutSource: 'tool',
  notices: [],
} as const

const success = (value: unknown, fields = {}): CallResult => ({
  ...base,
  status: 'success',
  value,
  ...fields,
})

test('a value is passed on if it is small and not binary', () => {
  expect(toToolOutput(success({ radius: 1 }), undefined)).toMatchObject({ value: { radius: 1 } })
  for (const value of [undefined, new Uint8Array(3), 'x'.repeat(65_536), [{ text: 'x'.repeat(65_536) }]])
    expect(toToolOutput(success(value), undefined)).toEqual({
      status: 'success',
      content: 'a circle',
      durationMs: 5,
    })
})

test('the model reads the parts that have data, besides the content', () => {
  const parts = [
    { type: 'text', text: 'a circle' },
    { type: 'image', data: 'aW1hZ2U=', mediaType: 'image/png' },
    { type: 'file', data: 'ZmlsZQ==', mediaType: 'application/pdf', name: 'circle.pdf' },
    { type: 'resource', uri: 'https://example.com/circle' },
    { type: 'resource', uri: 'note:1', data: 'bm90ZQ==' },
  ]
  const output = toToolOutput(success('a circle', { parts }), undefined)
  expect(toModelOutput(JSON.parse(JSON.stringify(output)))).toEqual({
    type: 'content',
    value: [
      { type: 'text', text: 'a circle' },
      { type: 'file', data: { type: 'data', data: 'aW1hZ2U=' }, mediaType: 'image/png' },
      {
        type: 'file',
        data: { type: 'data', data: 'ZmlsZQ==' },
        mediaType: 'application/pdf',
        filename: 'circle.pdf',
      },
      { type: 'file', data: { type: 'data', data: 'bm90ZQ==' }, mediaType: 'application/octet-stream' },
    ],
  })
})

test('only a signal that timed out turns a cancellation into a timeout', () => {
  const cancelled: CallResult = {
    ...base,
    status: 'cancelled',
    code: 'CANCELLED',
    message: 'by the caller',
    retrySafe: true,
  }
  const timedOut = AbortSignal.abort(new DOMException('too slow', 'TimeoutError'))
  expect(toToolOutput(cancelled, timedOut)).toMatchObject({
    status: 'error',
    code: 'TOOL_TIMEOUT',
    retrySafe: true,
  })
  for (const signal of [
    undefined,
    new AbortController().signal,
    AbortSignal.abort(),
    AbortSignal.abort('TimeoutError'),
  ])
    expect(toToolOutput(cancelled, signal)).toMatchObject({ status: 'cancelled', code: 'CANCELLED' })
  const denied: CallResult = { ...cancelled, status: 'error', code: 'DENIED' }
  expect(toToolOutput(denied, timedOut)).toMatchObject({ code: 'DENIED' })
})
