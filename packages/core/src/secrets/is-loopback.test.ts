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

test('a host is another where its traffic can be read', () => {
  expect(hostUse(new URL('http://127.0.0.9:8080/x'))).toBe('host:127.0.0.9:8080')
  expect(hostUse(new URL('http://[::1]:8080'))).toBe('host:[::1]:8080')
  expect(hostUse(new URL('http://127.evil.example'))).toBe('host:http://127.evil.example')
  expect(hostUse(new URL('https://a.example:8443'))).toBe('host:a.example:8443')
})
