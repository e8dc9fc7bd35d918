import { Redactor } from '@curfew/core/internal'
import { expect, test } from 'vitest'
import { redactAssistantParts } from './redact-messages.ts'

test.each(['text', 'reasoning'] as const)('a secret that continues in the next part: %s', (type) => {
  const redactor = new Redactor()
  redactor.add('KEY', 'canary-0123456789')
  const runtime = {
    redact: <T>(value: T): T => redactor.value(value),
    redactStream: () => redactor.stream(),
  }
  const parts = [
    { type, text: 'It is canary-0123', metadata: { anthropic: { signature: 'a' } } },
    { type, text: '456789.' },
  ]
  const redacted = JSON.stringify(redactAssistantParts(runtime, parts))
  expect(redacted).toContain('[secret KEY]')
  expect(redacted).not.toMatch(/canary|456789|signature/)
})
