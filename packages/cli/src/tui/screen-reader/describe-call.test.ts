import { describe, expect, it, test } from 'vitest'
import { exampleRow } from '../../../test/example-row.ts'
import { CallAnnouncer, describeCallEnd, describeCallStart } from './call-announcer.ts'
import { spokenDuration } from './spoken-duration.ts'

test.each([
  [0, 'less than a second'],
  [999, 'less than a second'],
  [1_000, '1 second'],
  [3_400, '3 seconds'],
  [59_600, '1 minute'],
  [60_000, '1 minute'],
  [125_000, '2 minutes 5 seconds'],
  [3_600_000, '1 hour'],
  [3_900_000, '1 hour 5 minutes'],
])('%s ms are %s', (ms, words) => {
  expect(spokenDuration(ms)).toBe(words)
})

describe('a call that starts', () => {
  it.each([
    [{}, 'run_command started: npm test, limit 2 minutes'],
    [{ timeoutMs: null, args: '' }, 'run_command started'],
    [{ background: true, timeoutMs: null }, 'run_command started as a background task: npm test'],
    [{ args: 'command="a\\u202eb\\u001b[2K"', timeoutMs: null }, 'run_command started: a\\u202eb\\u001b[2K'],
  ])('%j', (fields, line) => {
    expect(describeCallStart(exampleRow(fields))).toBe(line)
  })
})

describe('a call that ends', () => {
  const ended = { endedAt: 3_000, elapsedMs: 3_000 }
  it.each([
    [{ status: 'success' }, 'run_command finished after 3 seconds'],
    [{ status: 'success', detachedTo: 2 }, 'run_command continues in the background'],
    [{ status: 'cancelled' }, 'run_command was cancelled after 3 seconds'],
    [{ status: 'cancelled', startedAt: null }, 'run_command was cancelled'],
    [{ status: 'error', code: 'TOOL_TIMEOUT', message: 'x' }, 'run_command timed out after 3 seconds'],
    [
      { status: 'error', code: 'TOOL_IDLE_TIMEOUT' },
      'run_command was stopped after 3 seconds, because it wrote nothing for too long',
    ],
    [
      { status: 'error', code: 'DENIED', message: 'a rule denies it', startedAt: null },
      'run_command was not allowed: a rule denies it',
    ],
    [
      { status: 'error', code: 'TOOL_FAILED', message: 'exit\u001b[2J code\n1' },
      'run_command failed after 3 seconds: exit code 1',
    ],
    [
      { status: 'error', code: 'TOOL_FAILED', message: null },
      'run_command failed after 3 seconds: TOOL_FAILED',
    ],
  ] as const)('%j', (fields, line) => {
    expect(describeCallEnd(exampleRow({ ...ended, ...fields }))).toBe(line)
  })
})

describe('CallAnnouncer', () => {
  const row = (uid: number, fields: Parameters<typeof exampleRow>[0] = {}) =>
    exampleRow({ uid, timeoutMs: null, args: `command="${uid}"`, ...fields })
  const end = { status: 'success', endedAt: 1, elapsedMs: 0 } as const

  it('says each thing once', () => {
    const announcer = new CallAnnouncer()
    expect(announcer.update(row(1, { status: 'scheduled' }))).toBe(false)
    expect(announcer.update(row(1))).toBe(true)
    expect(announcer.update(row(1))).toBe(false)
    expect(announcer.lines([row(1)])).toEqual(['run_command started: 1'])
    expect(announcer.update(row(1, end))).toBe(true)
    expect(announcer.update(row(1, end))).toBe(false)
    expect(announcer.lines([row(1, end)])).toEqual(['run_command finished after less than a second'])
    expect(announcer.lines([row(1, end)])).toEqual([])
  })

  it('does not say that a call has started once it has ended', () => {
    const announcer = new CallAnnouncer()
    announcer.update(row(1))
    announcer.update(row(1, end))
    expect(announcer.lines([row(1)])).toEqual([])
  })

  it('names the arguments if calls of the same tool run', () => {
    const announcer = new CallAnnouncer()
    announcer.update(row(1))
    announcer.update(row(2))
    announcer.update(row(1, end))
    expect(announcer.lines([row(1, end)])).toEqual(['run_command 1 finished after less than a second'])
    announcer.update(row(2, end))
    expect(announcer.lines([row(2, end)])).toEqual(['run_command finished after less than a second'])
  })

  it('leaves calls inside others to those', () => {
    expect(new CallAnnouncer().update(row(2, { parentUid: 1 }))).toBe(false)
  })
})
