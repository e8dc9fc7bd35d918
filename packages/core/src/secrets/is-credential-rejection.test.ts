import { expect, test } from 'vitest'
import { isCredentialRejection, mentionsCredentialError } from './is-credential-rejection.ts'

test.each([
  'HTTP Error 401: Unauthorized',
  'requests.exceptions.HTTPError: 401 Client Error: Unauthorized for url: ...',
  'HTTP 403 Forbidden',
  'status code 401',
  'Error: Invalid API key provided',
  'invalid_api_key: your api key is invalid',
  'The access token expired at 12:00',
  'expired token',
  'KeyError: token not set',
  'Missing credentials in config',
  'authentication failed',
  'Bad credentials',
  'error: API_KEY is required: api key missing',
  '{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}',
  '{"message":"Requires login","status":"401"}',
  'ExpiredTokenException: The security token included in the request is expired',
  'An API error occurred: invalid_auth',
  'JsonWebTokenError: jwt malformed',
])('%j mentions a credential error', (text) => expect(mentionsCredentialError(text)).toBe(true))

test.each([
  'TypeError: cannot read properties of undefined',
  'wrote 401 rows',
  'page 403 of 500',
  'unexpected token } in JSON at position 4',
  'file not found: tokens.txt',
  'connection refused',
  'SyntaxError: Invalid or unexpected token',
  'SyntaxError: Unexpected token \'<\', "<!DOCTYPE html>" is not valid JSON',
  'Password file not found',
  'exit status 401',
  'HTTP 500',
])('%j mentions no credential error', (text) => expect(mentionsCredentialError(text)).toBe(false))

test('checks only the beginning and end of a long string', () => {
  const filler = 'x '.repeat(20_000)
  expect(mentionsCredentialError(`invalid API key\n${filler}`)).toBe(true)
  expect(mentionsCredentialError(`${filler}\ninvalid API key`)).toBe(true)
  expect(mentionsCredentialError(`${filler}\ninvalid API key\n${filler}`)).toBe(false)
})

test.each<[string, unknown, string, boolean]>([
  ['a status of 401', { status: 401 }, 'no', true],
  ['a status of 403 as a string', { statusCode: '403' }, 'no', true],
  ['the status of a response', { response: { status: 401 } }, 'no', true],
  ['the status that AWS gives', { $metadata: { httpStatusCode: 403 } }, 'no', true],
  ['an error inside', { error: { code: 401 } }, 'no', true],
  ['a 400 about a key', { status: 400 }, 'API key not valid', true],
  ['a 400 about something else', { status: 400 }, 'no such field', false],
  ['a 404 with a matching message', { status: 404 }, 'invalid API key', false],
  ['a 500 with a matching message', { status: 500 }, 'authentication error', false],
  ['an errno', { code: 'ECONNREFUSED', errno: -111 }, 'connection refused', false],
  ['a number that is not a status', { code: 42 }, 'invalid API key', true],
  ['a message alone', undefined, 'expired token', true],
])('%s: %j', (_, error, text, expected) => {
  expect(isCredentialRejection(error, text)).toBe(expected)
})

test('judges an error with throwing getters by its message', () => {
  const hostile = new Proxy(
    {},
    {
      get() {
        throw new Error('no')
      },
    },
  )
  expect(isCredentialRejection(hostile, 'expired token')).toBe(true)
})
