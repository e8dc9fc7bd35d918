import { classifyInboundRequest, type JSONRPCMessage } from '@modelcontextprotocol/server'
import { expect, test } from 'vitest'
import { isSessionRequest } from './is-session-request.ts'

const session = { 'mcp-session-id': 'a' }
const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo' } } as const
const claim = { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } }

test.each<[object, Record<string, string>]>([
  [call, session],
  [call, { ...session, 'mcp-protocol-version': '2025-11-25' }],
  [call, { ...session, 'mcp-protocol-version': '2024-11-05' }],
  [{ ...call, method: 'initialize' }, session],
  [{ ...call, params: { _meta: { progressToken: 1 } } }, session],
  [{ jsonrpc: '2.0', method: 'notifications/initialized' }, session],
])('%j with %j is one, also for the SDK', (body, headers) => {
  expect(isSessionRequest(body as JSONRPCMessage, headers)).toBe(true)
  const version = headers['mcp-protocol-version']
  const route = classifyInboundRequest({
    httpMethod: 'POST',
    ...(version !== undefined && { protocolVersionHeader: version }),
    body,
  })
  expect(route.kind).toBe('legacy')
})

test.each<[object, Record<string, string>]>([
  [call, {}],
  [call, { ...session, 'mcp-protocol-version': '2026-07-28' }],
  [call, { ...session, 'mcp-protocol-version': 'unknown' }],
  [call, { ...session, 'mcp-method': 'tools/call' }],
  [call, { ...session, 'mcp-name': 'echo' }],
  [{ ...call, params: claim }, session],
  [{ jsonrpc: '2.0', method: 'notifications/initialized', params: claim }, session],
  [{ jsonrpc: '2.0', id: 1, result: {} }, session],
  [[call], session],
])('%j with %j is left to the SDK', (body, headers) => {
  expect(isSessionRequest(body as JSONRPCMessage, headers)).toBe(false)
})
