import { expect, test } from 'vitest'
import { tellsOfCredentials } from './tells-of-credentials.ts'

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
