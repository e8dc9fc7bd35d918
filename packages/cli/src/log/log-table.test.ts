import { stripVTControlCharacters } from 'node:util'
import type { JournalCall } from '@curfew/journal'
import { expect, test } from 'vitest'
import { exampleJournalCall } from '../../../../test/support/example-journal-call.ts'
import { widthOf } from '../terminal.ts'
import { LogTable } from './log-table.ts'

const now = new Date(2026, 10, 18, 15, 0).getTime()

function table(calls: readonly JournalCall[], columns: number | undefined, hasProjects = false): string[] {
  return new LogTable({ columns, now: () => now, hasProjects }).add(calls).map(stripVTControlCharacters)
}

const calls = [
  exampleJournalCall({
    id: 'm4tq-20',
    status: 'executing',
    durationMs: 12_000,
    updatedAt: now,
    endedAt: null,
  }),
  exampleJournalCall({ id: 'm4tq-19', parent: 'm4tq-18', args: '{"path":"src/b.ts","limit":3}' }),
  exampleJournalCall({
    id: 'm4tq-18',
    tool: 'mcp__github__search',
    status: 'error',
    code: 'TOOL_TIMEOUT',
    durationMs: 60_000,
    args: '{"query":"x"}',
  }),
  exampleJournalCall({
    id: 'k2xs-2',
    status: 'lost',
    startedAt: null,
    durationMs: 0,
    createdAt: new Date(2026, 10, 17, 9, 5).getTime(),
    args: '{"path":"not complete…',
  }),
]

test('one line per call', () => {
  expect(table(calls, 80)).toEqual([
    'id       when           took    call',
    'm4tq-20  14:03:27       12 s  > read_file (running) src/a.ts',
    'm4tq-19  14:03:27      50 ms  ✓ ↳ read_file src/b.ts limit=3',
    'm4tq-18  14:03:27      1 min  ✗ mcp__github__search (TOOL_TIMEOUT) x',
    'k2xs-2   Nov 17 09:05      -  ✗ read_file (lost) {"path":"not complete…',
  ])
})

test('two lines on a narrow terminal', () => {
  expect(table(calls.slice(2, 3), 50)).toEqual([
    'id       when       took',
    'm4tq-18  14:03:27  1 min  ✗',
    '  mcp__github__search (TOOL_TIMEOUT) x',
  ])
})

test('limits on a wide terminal, and projects', () => {
  expect(table([exampleJournalCall({ createdAt: new Date(2025, 0, 2).getTime() })], 120, true)).toEqual([
    'project  id       when                  took    call',
    'shop     m4tq-17  2025-01-02  50 ms of 1 min  ✓ read_file src/a.ts',
  ])
})

test('columns stay where they are when calls are added', () => {
  const log = new LogTable({ columns: 80, now: () => now })
  const [, first] = log.add(calls)
  const [second] = log.add([exampleJournalCall({ id: 'a-1' })])
  const at = (line: string | undefined): number => stripVTControlCharacters(line!).indexOf('read_file')
  expect(at(second)).toBe(at(first))
})

test.each([
  [{ detachedTo: 'm4tq-18' }, '✓ read_file (continues as m4tq-18) src/a.ts'],
  [{ loaded: true, args: '{}' }, '✓ read_file (loaded)'],
  [{ problem: 'exit code 1' }, '! read_file (exit code 1) src/a.ts'],
  [{ status: 'cancelled' }, '⊘ read_file (cancelled) src/a.ts'],
  [{ status: 'awaiting_approval' }, '> read_file (needs approval) src/a.ts'],
  [{ status: 'scheduled' }, '> read_file (waiting) src/a.ts'],
  [{ status: 'levitating' }, '? read_file (levitating) src/a.ts'],
] as [Partial<JournalCall>, string][])('%o', (changes, text) => {
  expect(table([exampleJournalCall(changes)], 100)[1]).toMatch(
    new RegExp(`${text.replace(/[()?]/g, '\\$&')}$`),
  )
})

test('nothing breaks out of its line, and no line is too wide', () => {
  const evil = '\u001b[2J\u001b]0;title\u0007a\nb\r\t\u202e你好👩‍👩‍👧'.repeat(50)
  const hostile = exampleJournalCall({
    id: evil,
    tool: evil,
    args: JSON.stringify({ [evil]: evil }),
    status: evil as JournalCall['status'],
    code: evil,
    problem: evil,
    project: evil,
    createdAt: 1e300,
    durationMs: -5,
  })
  for (const columns of [20, 40, 60, 80, 120, 200]) {
    for (const call of [hostile, { ...hostile, status: 'error' as const }, { ...hostile, args: evil }]) {
      for (const line of table([call], columns, true)) {
        expect(line).not.toMatch(/[\p{Cc}\u202e]/u)
        if (columns >= 60) expect(widthOf(line)).toBeLessThanOrEqual(columns)
      }
    }
  }
})
