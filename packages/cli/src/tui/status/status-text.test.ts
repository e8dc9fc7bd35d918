import { expect, test } from 'vitest'
import { createTheme } from '../theme/theme.ts'
import { type Status, statusText } from './status-text.ts'

const theme = createTheme('plain')
const status: Status = {
  model: 'anthropic:claude-sonnet-5-5',
  mode: 'ask',
  context: { tokens: 50_000, window: 200_000, share: 0.25 },
  calls: { made: 3, limit: 100 },
  budget: '12k/100k tokens',
  running: 2,
  background: 1,
  warnings: 1,
}

test('everything fits on a wide terminal', () => {
  expect(statusText(status, 200, theme)).toBe(
    'ask before changes · anthropic:claude-sonnet-5-5 · 2 running · 1 in background · context 25 % · 3/100 calls · 12k/100k tokens · 1 warning (Ctrl-G)',
  )
})

test('what matters least is left out first', () => {
  expect(statusText(status, 80, theme)).toBe(
    'ask before changes · 2 running · 1 in background · 1 warning (Ctrl-G)',
  )
  expect(statusText(status, 40, theme)).toBe('ask before changes · 2 running')
  expect(statusText(status, 20, theme)).toBe('ask before changes')
})

test.each([10, 15, 20, 33, 47, 60, 90, 150])('never wider than %i columns', (width) => {
  expect(statusText(status, width, theme).length).toBeLessThanOrEqual(width)
})

test('without a model and a known window', () => {
  const bare = { ...status, model: null, calls: null, budget: null, running: 0, background: 0, warnings: 0 }
  const context = { tokens: 999, window: null, share: null }
  expect(statusText({ ...bare, mode: 'plan', context }, 80, theme)).toBe('plan only · no model · 999 tokens')
})

test('the name of a model cannot control the terminal', () => {
  expect(statusText({ ...status, model: 'a:\u001b[31mb\u202e' }, 200, theme)).toContain('· a:b ·')
})
