import { expect, test } from 'vitest'
import { isKeyName, isKeyValue, looksLikeKey } from './looks-like-key.ts'

test.each([
  'sk_live_abc',
  'ghp_0123456789abcdefghij',
  'Bearer abc',
  'postgres://me:pass@localhost/db',
  'd41d8cd98f00b204e9800998ecf8427e',
  '123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw',
  'NDk4ZTQ1MzItYzA4Yi00ZjQ3',
  'q3Zt8vXw1LmN0pRsTuVyAbCd',
])('%s looks like a key, whatever its name', (value) => {
  expect(isKeyValue(value)).toBe(true)
})

test.each([
  'server-filesystem-2025-11-05-linux-x64',
  'getUserById2ForTenantAccount',
  'conversations.history',
  'read-only-replica-of-production-database-1',
  'claude_sonnet_4_5_20250929_thinking',
  '550e8400-e29b-41d4-a716-446655440000',
  'https://example.com/mcp',
  '2025-11-16T12:00:00.000Z',
  'sendMessage',
])('%s does not look like a key', (value) => {
  expect(isKeyValue(value)).toBe(false)
})

test.each([
  ['API_KEY', 'canary-0123456789', true],
  ['API_KEY', 'short', false],
  ['DB_PASSWORD', 'hunter2', true],
  ['KEY_FILE', '/home/me/key.pem', false],
  ['MAX_TOKENS', 'canary-0123456789', false],
  ['AUTHOR', 'Ada Lovelace', false],
])('looksLikeKey of %s=%s is %s', (name, value, expected) => {
  expect(looksLikeKey(name, value)).toBe(expected)
})

test.each(['X-Amz-Signature', 'db_pwd', 'Cookie'])('%s names a key', (name) => {
  expect(isKeyName(name)).toBe(true)
})

test.each(['signal', 'assignee', 'keywords', 'author'])('%s does not name a key', (name) => {
  expect(isKeyName(name)).toBe(false)
})
