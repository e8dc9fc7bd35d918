import { expect, test } from 'vitest'
import { refusesCredentials, tellsOfCredentials } from './tells-of-credentials.ts'

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
])('%j is about credentials', (text) => expect(tellsOfCredentials(text)).toBe(true))

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
])('%j is not', (text) => expect(tellsOfCredentials(text)).toBe(false))

test('only the beginning and the end of a long text are looked at', () => {
  const filler = 'x '.repeat(20_000)
  expect(tellsOfCredentials(`invalid API key\n${filler}`)).toBe(true)
  expect(tellsOfCredentials(`${filler}\ninvalid API key`)).toBe(true)
  expect(tellsOfCredentials(`${filler}\ninvalid API key\n${filler}`)).toBe(false)
})

test.each<[string, unknown, string, boolean]>([
  ['a status of 401', { status: 401 }, 'no', true],
  ['a status of 403 as a string', { statusCode: '403' }, 'no', true],
  ['the status of a response', { response: { status: 401 } }, 'no', true],
  ['the status that AWS gives', { $metadata: { httpStatusCode: 403 } }, 'no', true],
  ['an error inside', { error: { code: 401 } }, 'no', true],
  ['a 400 about a key', { status: 400 }, 'API key not valid', true],
  ['a 400 about something else', { status: 400 }, 'no such field', false],
  ['a 404 with such words', { status: 404 }, 'invalid API key', false],
  ['a 500 with such words', { status: 500 }, 'authentication error', false],
  ['an errno', { code: 'ECONNREFUSED', errno: -111 }, 'connection refused', false],
  ['a number that is no status', { code: 42 }, 'invalid API key', true],
  ['words alone', undefined, 'expired token', true],
])('%s: %j', (_, error, text, expected) => {
  expect(refusesCredentials(error, text)).toBe(expected)
})

test('an error that throws when it is looked at is judged by its text', () => {
  const hostile = new Proxy(
    {},
    {
      get() {
        throw new Error('no')
      },
    },
  )
  expect(refusesCredentials(hostile, 'expired token')).toBe(true)
})
