import { describe, expect, test } from 'vitest'
import { readTraceContext, traceVariables } from './trace-context.ts'

const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
const span = '00f067aa0ba902b7'
const traceparent = `00-${trace}-${span}-01`

describe('traceparent', () => {
  test.each([traceparent, `00-${trace}-${span}-00`, `cc-${trace}-${span}-ff`])('%s is valid', (valid) => {
    expect(readTraceContext({ traceparent: valid })).toEqual({ traceparent: valid })
  })

  test.each([
    undefined,
    null,
    1,
    [traceparent],
    '',
    `ff-${trace}-${span}-01`,
    `00-${trace.toUpperCase()}-${span}-01`,
    `00-${'0'.repeat(32)}-${span}-01`,
    `00-${trace}-${'0'.repeat(16)}-01`,
    `00-${trace}-${span}-1`,
    `${traceparent}-more`,
    `${traceparent}, ${traceparent}`,
    `${traceparent}\n`,
    `${traceparent}\r\nx: y`,
  ])('%j is ignored', (invalid) => {
    expect(readTraceContext({ traceparent: invalid, tracestate: 'a=b' })).toBeNull()
  })

  test.each([null, undefined, 'text', 3, []])('the carrier %j is ignored', (carrier) => {
    expect(readTraceContext(carrier)).toBeNull()
  })
})

describe('tracestate', () => {
  test.each([
    'rojo=00f067aa0ba902b7',
    'rojo=1,congo=t61rcWkgMzE',
    'a=1 , b=2,',
    'tenant@system=value with spaces!',
    Array.from({ length: 32 }, (_, i) => `k${i}=v`).join(','),
  ])('%s is kept as it is', (tracestate) => {
    expect(readTraceContext({ traceparent, tracestate })).toEqual({ traceparent, tracestate })
  })

  test.each([
    '',
    ',',
    'novalue',
    'Upper=1',
    'a=b=c',
    'a=ä',
    'a=1\r\nx: y',
    'a=\0',
    ['a=b'],
    `a=${'v'.repeat(511)}`,
    Array.from({ length: 33 }, (_, i) => `k${i}=v`).join(','),
  ])('%j is dropped', (tracestate) => {
    expect(readTraceContext({ traceparent, tracestate })).toEqual({ traceparent })
  })
})

test('nothing else is read, such as baggage', () => {
  const carrier = { traceparent, baggage: 'user=alice', other: 'x' }
  expect(readTraceContext(carrier)).toEqual({ traceparent })
  expect(traceVariables(readTraceContext(carrier))).toEqual({ TRACEPARENT: traceparent })
  expect(traceVariables({ traceparent, tracestate: 'a=b' })).toEqual({
    TRACEPARENT: traceparent,
    TRACESTATE: 'a=b',
  })
  expect(traceVariables(null)).toEqual({})
})
