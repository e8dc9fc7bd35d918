import { expect, test } from 'vitest'
import { widthOf } from '../terminal.ts'
import type { CheckedModel } from './run-models.ts'
import { showModel } from './show-model.ts'

const model: CheckedModel = {
  id: 'anthropic:claude-x',
  provider: 'anthropic',
  name: 'claude-x',
  role: 'selected',
  from: '--model',
  baseUrl: 'https://api.anthropic.com/v1',
  baseUrlFrom: null,
  keys: ['ANTHROPIC_API_KEY'],
  needsKey: true,
  use: 'host:api.anthropic.com',
  warnings: [],
  key: { kind: 'found', name: 'ANTHROPIC_API_KEY', value: 'never-shown', from: 'store' },
  check: { responseMs: 840, problem: null },
  contextWindow: 200_000,
}

test('shows a model in a few lines', () => {
  expect(showModel(model, undefined)).toBe(`✓ anthropic:claude-x (selected)
  status  responds after 840 ms
  from    --model
  server  https://api.anthropic.com/v1
  key     ANTHROPIC_API_KEY (stored)
  context 200,000 tokens
`)
})

test('wraps long lines on a narrow terminal', () => {
  const problem = 'the provider rejected the key (HTTP 401): invalid x-api-key'
  const shown = showModel({ ...model, check: { responseMs: null, problem }, warnings: [problem] }, 40)
  expect(shown).toContain('✗ anthropic:claude-x (selected)\n  status  the provider rejected the key')
  for (const line of shown.split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(40)
})

test('removes control characters', () => {
  const hostile = '\x1b[2J\u009b31m\u202eowned\r\n✓ fine'
  const shown = showModel(
    {
      ...model,
      id: `google:${hostile}`,
      baseUrlFrom: hostile,
      check: { responseMs: null, problem: hostile },
    },
    undefined,
  )
  expect(shown).not.toMatch(/[\p{Bidi_Control}\u{80}-\u{9f}\r]|^✓/mu)
  expect(shown.split('\n')).toHaveLength(7)
})
