import { expect, test } from 'vitest'
import { exampleJournalCall } from '../../../../test/support/example-journal-call.ts'
import { callDuration } from './call-duration.ts'

const { createdAt } = exampleJournalCall()

test.each([
  ['a call that has ended', { durationMs: 52.4 }, 52.4],
  ['one that never ran', { startedAt: null, durationMs: 0 }, null],
  ['one that is lost', { status: 'lost', durationMs: 4_100, updatedAt: createdAt }, 4_100],
  ['one that was lost at once', { status: 'lost', durationMs: null }, null],
  ['one that has just started', { status: 'executing', durationMs: null, startedAt: createdAt }, 10_000],
  [
    'one that was paused',
    { status: 'executing', durationMs: null, startedAt: createdAt, pausedMs: 3_000 },
    7_000,
  ],
  [
    'one that was recorded again',
    { status: 'executing', durationMs: 4_200, updatedAt: createdAt + 5_000 },
    9_000,
  ],
  [
    'a clock that went back',
    { status: 'executing', durationMs: 4_200, updatedAt: createdAt + 60_000 },
    4_000,
  ],
] as const)('%s', (_name, changes, expected) => {
  expect(callDuration(exampleJournalCall(changes), createdAt + 10_400)).toBe(expected)
})
