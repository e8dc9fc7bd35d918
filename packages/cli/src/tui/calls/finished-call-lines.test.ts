import type { CallRow } from '@curfew/core'
import { expect, it } from 'vitest'
import { exampleRow } from '../../../test/example-row.ts'
import { createTheme } from '../theme/theme.ts'
import { finishedCallLines } from './finished-call-lines.ts'

const options = { width: 60, theme: createTheme('plain'), now: 0 }
const ended = (uid: number, fields: Partial<CallRow> = {}): CallRow =>
  exampleRow({ uid, status: 'success', elapsedMs: 100, ...fields })

it('has a row per call, with its error', () => {
  const rows = [
    ended(1),
    ended(2, { status: 'error', code: 'DENIED', message: 'No.', startedAt: null, args: 'command="rm x"' }),
  ]
  expect(finishedCallLines(rows, options)).toEqual([
    '✓ run_command npm test · 100 ms',
    '✗ run_command rm x',
    '  DENIED: No.',
  ])
})

it('summarizes the calls inside a call, at any depth', () => {
  const inside = (
    uid: number,
    name: string,
    parentUid: number,
    status: CallRow['status'] = 'success',
  ): CallRow => ended(uid, { name, parentUid, status })
  const rows = [
    ended(1, { name: 'invoke_subagent', args: 'task="find it"' }),
    inside(2, 'read_file', 1),
    inside(3, 'invoke_subagent', 1),
    inside(4, 'read_file', 3),
    inside(5, 'run_command', 3, 'error'),
  ]
  expect(finishedCallLines(rows, options)).toEqual([
    '✓ invoke_subagent find it · 100 ms',
    '  4 calls, 1 failed: read_file ×2, invoke_subagent, run_com…',
  ])
})

it('neighbouring successes of a tool share a line if there are many', () => {
  const many = Array.from({ length: 9 }, (_, index) =>
    ended(index + 1, { name: 'read_file', args: `path="${index}"` }),
  )
  const failed = ended(10, {
    name: 'read_file',
    status: 'error',
    code: 'TOOL_FAILED',
    message: 'gone',
    args: 'path="x"',
  })
  expect(
    finishedCallLines([...many, failed, ended(11, { name: 'read_file', args: 'path="y"' })], options),
  ).toEqual(['✓ read_file ×9', '✗ read_file x · 100 ms', '  TOOL_FAILED: gone', '✓ read_file y · 100 ms'])
  expect(finishedCallLines(many.slice(0, 8), options)).toHaveLength(8)
})
