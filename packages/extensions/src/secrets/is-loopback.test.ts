import { expect, test } from 'vitest'
import { hostUse } from './host-use.ts'
import { isLoopback } from './is-loopback.ts'

test.each([
  ['localhost', true],
  ['127.0.0.1', true],
  ['127.255.0.3', true],
  ['::1', true],
  ['[::1]', true],
  ['127.1', false],
  ['127.0.0.300', false],
  ['127.0.0.1.evil.example', false],
  ['127.evil.example', false],
  ['localhost.evil.example', false],
  ['128.0.0.1', false],
  ['[::2]', false],
  ['', false],
])('%j: %s', (hostname, expected) => {
  expect(isLoopback(hostname)).toBe(expected)
})

test('plain http to another machine is a separate use', () => {
  expect(hostUse(new URL('http://127.0.0.9:8080/x'))).toBe('host:127.0.0.9:8080')
  expect(hostUse(new URL('http://[::1]:8080'))).toBe('host:[::1]:8080')
  expect(hostUse(new URL('http://127.evil.example'))).toBe('host:http://127.evil.example')
  expect(hostUse(new URL('https://a.example:8443'))).toBe('host:a.example:8443')
})

test.each([
  ['https://api.example.com./x', 'host:api.example.com'],
  ['https://api.example.com.:8443', 'host:api.example.com:8443'],
  ['http://api.example.com.', 'host:http://api.example.com'],
  ['https://API.EXAMPLE.com:443', 'host:api.example.com'],
  ['https://me:word@api.example.com', 'host:api.example.com'],
  // Another service may listen on port 443.
  ['http://localhost', 'host:localhost:80'],
  ['http://127.0.0.1:80', 'host:127.0.0.1:80'],
  ['http://[::1]', 'host:[::1]:80'],
  ['https://localhost', 'host:localhost'],
])('the use of %s is %s', (url, use) => {
  expect(hostUse(new URL(url))).toBe(use)
})
