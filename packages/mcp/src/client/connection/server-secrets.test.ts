import { ProtocolError } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import type { Reference } from '../../config/reference.ts'
import { type ServerConfig, serverDefaults } from '../../config/server-config.ts'
import { rejectedSecretOf } from './server-secrets.ts'
import { credentialErrorOf, toUpstreamError } from './to-upstream-error.ts'

const secret = (name: string): Reference => [{ secret: name }]

function server(env: Readonly<Record<string, Reference>>): ServerConfig {
  const target = { kind: 'stdio', command: 'x', args: [], env, cwd: undefined } as const
  return { name: 'x', file: '/mcp.json', root: '/', target, ...serverDefaults }
}

function remote(headers: Readonly<Record<string, Reference>>, oauth?: object): ServerConfig {
  const target = { kind: 'http', url: 'https://a.example/mcp', headers, oauth } as const
  return { name: 'x', file: '/mcp.json', root: '/', target, ...serverDefaults }
}

const several = server({
  PLAIN: ['not a secret'],
  GITHUB_TOKEN: secret('WORK_TOKEN'),
  SLACK_TOKEN: secret('CHAT_TOKEN'),
})

test.each([
  ['SLACK_TOKEN is not valid', 'CHAT_TOKEN'],
  ['the secret CHAT_TOKEN is not valid', 'CHAT_TOKEN'],
  ['PLAIN is not valid', 'WORK_TOKEN'],
  ['the API key is not valid', 'WORK_TOKEN'],
])('of several keys of a process, %j is attributed to %s', (text, expected) => {
  expect(rejectedSecretOf(several, text)).toBe(expected)
})

const rejection = {
  isError: true,
  content: [{ type: 'text', text: '401 Unauthorized: SLACK_TOKEN expired' }],
}

test('only an error about a key that the server got counts as a rejected key', () => {
  expect(credentialErrorOf(rejection, several)).toMatchObject({
    key: 'CHAT_TOKEN',
    reason: 'rejected',
    retrySafe: false,
  })
  expect(credentialErrorOf({ ...rejection, isError: false }, several)).toBe(null)
  expect(
    credentialErrorOf({ isError: true, content: [{ type: 'text', text: 'no such file' }] }, several),
  ).toBe(null)
  expect(credentialErrorOf(rejection, server({ PLAIN: ['not a secret'] }))).toBe(null)
})

test('a status in structured content counts even if the text does not mention it', () => {
  const result = {
    isError: true,
    content: [{ type: 'text', text: 'no' }],
    structuredContent: { status: 403 },
  }
  expect(credentialErrorOf(result, several)).toMatchObject({ key: 'WORK_TOKEN' })
})

test('a forwarded rejection refers to the key in the headers, or to none if the server uses a sign-in', () => {
  expect(credentialErrorOf(rejection, remote({ 'X-Key': secret('KEY') }))).toMatchObject({ key: 'KEY' })
  expect(credentialErrorOf(rejection, remote({}, { clientId: 'x', clientSecret: secret('CLIENT') }))).toBe(
    null,
  )
})

test('invalid arguments are not a rejected key, even if one is called password', () => {
  const text = 'MCP error -32602: Input validation error: password is required'
  expect(credentialErrorOf({ isError: true, content: [{ type: 'text', text }] }, several)).toBe(null)
  const convert = (code: number): unknown =>
    toUpstreamError(new ProtocolError(code, 'password is required'), several)
  expect(convert(-32_602)).toMatchObject({ details: { mcpError: { code: -32_602 } } })
  expect(convert(-32_042)).toMatchObject({ details: { mcpError: { code: -32_042 } } })
  expect(convert(-32_001)).toMatchObject({ code: 'CREDENTIAL_REQUIRED', key: 'WORK_TOKEN' })
})
