import { Redactor } from '@curfew/core/internal'
import { expect, test } from 'vitest'
import { readMessage } from '../../wire/read-message.ts'
import { redactMessage } from './redact-message.ts'

function redactorOf(...secrets: readonly string[]): Redactor {
  const redactor = new Redactor()
  for (const secret of secrets) redactor.add('KEY', secret)
  return redactor
}

test('secrets are redacted in every kind of message', () => {
  const redactor = redactorOf('sesame')
  for (const message of [
    { jsonrpc: '2.0' as const, id: 1, result: { content: ['open sesame'], sesame: 1 } },
    { jsonrpc: '2.0' as const, id: 1, error: { code: 1, message: 'sesame', data: { sesame: 'sesame' } } },
    { jsonrpc: '2.0' as const, id: 'q', method: 'sesame', params: { text: 'sesame' } },
    { jsonrpc: '2.0' as const, method: 'notifications/message', params: { data: ['sesame'] } },
  ])
    expect(JSON.stringify(redactMessage(message, redactor))).not.toContain('sesame')
})

test('ids and error codes are not redacted', () => {
  const redactor = redactorOf('12345', '32000', 'jsonrpc')
  for (const message of [
    { jsonrpc: '2.0' as const, id: 12_345, result: {} },
    { jsonrpc: '2.0' as const, id: 12_345, error: { code: -32_000, message: 'no' } },
    { jsonrpc: '2.0' as const, id: 12_345, method: 'ping' },
  ]) {
    const hidden = redactMessage(message, redactor)
    expect(hidden).toEqual(message)
    expect(readMessage(JSON.stringify(hidden))).toEqual({ message })
  }
})
