import { expect, test } from 'vitest'
import { isSessionId, newSessionId } from './session-id.ts'

test('ids contain the time in UTC and sort by it', () => {
  const at = Date.UTC(2026, 10, 16, 19, 30, 12)
  expect(newSessionId(at)).toMatch(/^20261116-193012-[2-9a-z]{3}$/)
  const sorted = [0, 1, 60, 3_600, 86_400, 40 * 86_400].map((s) => newSessionId(at + s * 1_000))
  expect([...sorted].sort()).toEqual(sorted)
})

test('ids of the same second differ', () => {
  const ids = new Set(Array.from({ length: 50 }, () => newSessionId(0)))
  expect(ids.size).toBeGreaterThan(40)
})

test('only ids are accepted as ids', () => {
  expect(isSessionId(newSessionId(0))).toBe(true)
  for (const other of [
    '',
    '../../etc/passwd',
    '20261116-193012-k3f/..',
    '20261116-193012-k3f\n',
    '__proto__',
  ])
    expect(isSessionId(other)).toBe(false)
})
