import { expect, test } from 'vitest'
import { describeCheckpoint } from './describe-checkpoint.ts'

const at = Date.UTC(2026, 10, 17, 12)
const describe = (after: number, ...followedBy: string[]) =>
  describeCheckpoint(
    { number: 1, createdAt: at, conversation: 'c', position: 0, followedBy, tree: '', uncovered: [] },
    at + after,
    false,
  )

test('the time and what followed', () => {
  expect(describe(0, 'write_file a')).toBe('just now, before write_file a')
  expect(describe(150_000, 'a', 'b', 'c', 'd', 'e')).toBe('2 min ago, before a; b; c; 2 more')
  expect(describe(3 * 24 * 3_600_000, 'a')).toBe('2026-11-17 12:00 UTC, before a')
  expect(describe(-5_000, 'a\n\u202eb')).toBe('just now, before a \\u202eb')
  expect(describe(0, 'x'.repeat(500)).length).toBeLessThan(200)
})
