import type { CallResult } from '@curfew/core'
import { describe, expect, it } from 'vitest'
import { checkCall, type Expectation } from './scene.ts'

const success: CallResult = {
  id: '1',
  name: 'echo',
  status: 'success',
  value: 'hello',
  content: 'hello',
  output: 'line 1',
  durationMs: 10,
  timeoutMs: 1_000,
  timeoutSource: 'tool',
  notices: [],
}
const timeout: CallResult = {
  ...success,
  status: 'error',
  code: 'TOOL_TIMEOUT',
  message: 'too late',
  content: 'TOOL_TIMEOUT: too late',
  retrySafe: false,
  abandoned: true,
}

describe('checkCall', () => {
  const asSuccess: Expectation = { status: 'success', endsAtMs: 0 }
  const asTimeout: Expectation = { status: 'error', code: 'TOOL_TIMEOUT', abandoned: true, endsAtMs: 1_000 }

  it('reports nothing for an expected ending', () => {
    expect(
      checkCall({ ...asSuccess, contentIncludes: 'hello', outputIncludes: 'line' }, success, 12),
    ).toEqual([])
    expect(checkCall(asTimeout, timeout, 1_250)).toEqual([])
  })

  it.each<[string, Expectation, CallResult, number, string[]]>([
    [
      'a different status',
      { status: 'cancelled', endsAtMs: 0 },
      success,
      0,
      ['status: expected cancelled, got success'],
    ],
    [
      'a success where an error was expected',
      { status: 'error', code: 'DENIED', endsAtMs: 0 },
      success,
      0,
      ['status: expected error, got success', 'code: expected DENIED, got none'],
    ],
    [
      'a different code',
      { ...asTimeout, code: 'DENIED' },
      timeout,
      1_000,
      ['code: expected DENIED, got TOOL_TIMEOUT'],
    ],
    [
      'an abandoned tool',
      { status: 'error', code: 'TOOL_TIMEOUT', endsAtMs: 1_000 },
      timeout,
      1_000,
      ['abandoned: expected false, got true'],
    ],
    ['an early ending', asTimeout, timeout, 500, ['duration: expected 980 to 6250 ms, got 500 ms']],
    ['a late ending', asTimeout, timeout, 6_300, ['duration: expected 980 to 6250 ms, got 6300 ms']],
    [
      'lost output',
      { ...asSuccess, outputIncludes: 'line 2' },
      success,
      0,
      ['output: expected it to include "line 2"'],
    ],
    [
      'different content',
      { ...asSuccess, contentIncludes: 'bye' },
      success,
      0,
      ['content: expected it to include "bye"'],
    ],
  ])('reports %s', (_difference, expected, result, elapsedMs, problems) => {
    expect(checkCall(expected, result, elapsedMs)).toEqual(problems)
  })
})
