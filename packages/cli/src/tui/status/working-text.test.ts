import { expect, test } from 'vitest'
import { createTheme } from '../theme/theme.ts'
import { type Working, workingText } from './working-text.ts'

const layout = { width: 80, theme: createTheme('plain') }
const idle: Working = {
  turn: null,
  retry: null,
  command: null,
  thinking: '',
  hasCalls: false,
  isWriting: false,
}
const turn = { startedAt: 1_000, waitedMs: 0, waitingSince: null }

test('nothing is shown while nothing runs', () => {
  expect(workingText(idle, 5_000, layout)).toBeNull()
})

test('the time does not include waiting for the person', () => {
  const working = { ...idle, turn: { ...turn, waitedMs: 60_000 } }
  expect(workingText(working, 73_400, layout)).toBe('● waiting for the model · 12 s · Esc cancels')
})

test('writing', () => {
  expect(workingText({ ...idle, turn, isWriting: true }, 5_000, layout)).toBe('● writing · 4 s · Esc cancels')
})

test('a retry shows its cause, countdown, attempt and maximum', () => {
  const retry = { cause: 'the rate limit was exceeded', attempt: 2, maxAttempts: 5, at: 10_000 }
  expect(workingText({ ...idle, turn, retry }, 6_900, layout)).toBe(
    '↻ attempt 2 of 5 in 3 s: the rate limit was exceeded · Esc cancels',
  )
})

test.each([12, 20, 40, 60])('never wider than %i columns, whatever the model thinks', (width) => {
  const narrow = { ...layout, width }
  const retry = { cause: 'x'.repeat(500), attempt: 2, maxAttempts: 5, at: 10_000 }
  const thinking = `a\n${'思考'.repeat(100)}\u001b[2J`
  for (const working of [
    { ...idle, turn, retry },
    { ...idle, turn, thinking },
    { ...idle, command: '/compact '.repeat(20) },
  ]) {
    const text = workingText(working, 5_000, narrow)!
    expect([...text].reduce((sum, one) => sum + (/[思考]/.test(one) ? 2 : 1), 0)).toBeLessThanOrEqual(width)
    expect(text).not.toContain('\u001b')
  }
})
