import { stripVTControlCharacters } from 'node:util'
import type { FoundCall, JournalCall } from '@curfew/journal'
import { expect, test } from 'vitest'
import { exampleJournalCall } from '../../../../test/support/example-journal-call.ts'
import { widthOf } from '../terminal.ts'
import { showCall } from './show-call.ts'

function show(call: JournalCall, found: Partial<FoundCall> = {}, columns?: number): string {
  const now = call.createdAt + 300_000
  const options = { columns, now, exists: (path: string) => path === '/exists' }
  return stripVTControlCharacters(showCall({ call, children: [], hasMoreChildren: false, ...found }, options))
}

test('a call in full', () => {
  const call = exampleJournalCall({
    tool: 'mcp__github__search',
    adapter: 'mcp-stdio',
    server: 'github',
    parent: 'm4tq-3',
    session: '20261118-140000-k3f',
    status: 'error',
    code: 'TOOL_TIMEOUT',
    message: 'took too long\nsecond line',
    durationMs: 60_000,
    transitions: [
      ['validating', 0],
      ['awaiting_approval', 1.5],
      ['scheduled', 12_001.5],
      ['executing', 12_003],
      ['error', 72_004],
    ],
    timeoutSource: 'adapterCap',
    requestedMs: 300_000,
    requestedSource: 'call',
    shortenedBy: 'adapterCap',
    allowedBy: 'rule',
    rule: 'mcp__github__*',
    heals: 1,
    pauses: 2,
    pausedMs: 3_200,
    outputBytes: 4_000,
    outputTail: 'almost\ndone\n',
    outputPath: '/exists',
    resultBytes: 7,
    resultPreview: 'partial',
    resultPath: '/gone',
    abandoned: true,
    lateEnd: { outcome: 'returned', at: exampleJournalCall().createdAt + 90_000 },
  })
  expect(show(call, { children: ['m4tq-18', 'm4tq-19'], hasMoreChildren: true })).toMatchInlineSnapshot(`
    "m4tq-17  mcp__github__search  TOOL_TIMEOUT
      when       2026-11-18 14:03:27.000, 5 min ago
      kind       tool of the MCP server github
      project    /home/ada/shop
      process    mcp 0.1.0, pid 4711, started 2026-11-18 14:02:27, running
      request    call_17, batch 3 of turn t1, conversation default
      session    20261118-140000-k3f
      inside     m4tq-3
      calls      m4tq-18, m4tq-19, …
      allowed by the rule mcp__github__*
      limit      1 min, its adapter's hard cap; 5 min were requested, set on the call
      abandoned  it ignored its signal, and returned a value 1 min 30 s after it was requested

    Times
      14:03:27.000  validating         2 ms
      14:03:27.001  awaiting approval  12 s
      14:03:39.001  scheduled          2 ms
      14:03:39.003  executing          1 min
      14:04:39.004  error
      paused twice, 3.2 s in total, waiting for a person
      retried once with another key

    Arguments
      {
        "path": "src/a.ts"
      }

    Error
      TOOL_TIMEOUT: took too long
      second line

    Output (4,000 bytes; the end of it)
      almost
      done
      complete: /exists

    Result (7 bytes)
      partial
      complete: /gone (no longer exists)
    "
  `)
})

test('a lost call says what it was doing', () => {
  const call = exampleJournalCall({ status: 'lost', lostIn: 'executing', durationMs: 12_000 })
  const text = show({ ...call, run: { ...call.run, lost: true, dropped: 1 } })
  expect(text).toContain('lost       its process ended while it was executing, after 12 s; last recorded at')
  expect(text).toContain('ended without closing the journal; 1 call could not be recorded')
})

test('arguments that were cut, and sources of another version, are shown as they are', () => {
  const text = show(
    exampleJournalCall({ args: '{"a":"b…', timeoutSource: 'constructor', allowedBy: 'magic' }),
  )
  expect(text).toContain('Arguments\n  {"a":"b…\n')
  expect(text).toContain('limit      1 min, constructor\n')
  expect(text).toContain('allowed by magic\n')
})

test('empty arguments, output and result have no section', () => {
  const text = show(exampleJournalCall({ args: '{}' }))
  expect(text).not.toMatch(/Arguments|Output|Result|Error/)
})

test('text from a call is neutralised and folded', () => {
  const evil = `\u001b[2J\u001b]52;c;aGk=\u0007${'x'.repeat(300)}\u202e你好\tend\r`
  const call = exampleJournalCall({
    tool: evil,
    args: JSON.stringify({ a: evil, b: [evil] }),
    status: 'error',
    code: evil,
    message: evil,
    problem: evil,
    outputTail: evil,
    resultPreview: evil,
    outputPath: evil,
    session: evil,
    rule: evil,
    allowedBy: evil,
    timeoutSource: evil,
    callId: evil,
    transitions: [[evil as 'success', Number.MAX_VALUE]],
    createdAt: -1e300,
  })
  for (const line of show(call, {}, 60).split('\n')) {
    expect(line).not.toMatch(/[\p{Cc}\u202e]/u)
    // A word in the facts may be longer than a line.
    if (!line.includes('xxx')) expect(widthOf(line)).toBeLessThanOrEqual(60)
  }
})
