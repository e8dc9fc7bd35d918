import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { expect, test } from 'vitest'
import { withTraceContext } from './with-trace-context.ts'

const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
const request = (params?: object): JSONRPCMessage => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  ...(params !== undefined && { params: params as Record<string, unknown> }),
})

test('only requests with parameters get it, each of a batch', () => {
  const notification: JSONRPCMessage = { jsonrpc: '2.0', method: 'notifications/cancelled', params: {} }
  const response: JSONRPCMessage = { jsonrpc: '2.0', id: 1, result: {} }
  const odd = request({ _meta: 'text' })
  const batch = [request({ name: 'a', _meta: { x: 1 } }), notification, response, request(), odd]
  expect(withTraceContext(batch, { traceparent })).toEqual([
    request({ name: 'a', _meta: { x: 1, traceparent } }),
    notification,
    response,
    request(),
    odd,
  ])
  // The messages themselves stay as they are.
  expect(batch[0]).toEqual(request({ name: 'a', _meta: { x: 1 } }))
})

test.each([{}, { traceparent: 'invalid' }, { traceparent: `${traceparent}, ${traceparent}` }])(
  'nothing changes with the headers %j',
  (headers) => {
    const message = request({ name: 'a' })
    expect(withTraceContext(message, headers)).toBe(message)
  },
)
