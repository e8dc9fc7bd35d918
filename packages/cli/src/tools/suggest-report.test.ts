import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { suggestReport } from './suggest-report.ts'
import type { NoSuggestion, Suggestion } from './suggest-timeout.ts'

const shorter: Suggestion = {
  tool: 'mcp__github__search',
  timeoutMs: 4_000,
  current: { timeoutMs: 60_000, setBy: "its adapter's default" },
  basis: { kind: 'p99', ms: 2_100, calls: 1_204 },
  cut: { calls: 3, share: 3 / 1_204 },
  saved: { calls: 14, ms: 744_000 },
  timedOut: { calls: 12, share: 12 / 1_216 },
}
const longer: Suggestion = {
  tool: 'script_deploy',
  timeoutMs: 120_000,
  current: { timeoutMs: 60_000, setBy: "the tool's own timeout" },
  basis: { kind: 'max', ms: 58_000, calls: 40 },
  cut: { calls: 0, share: 0 },
  saved: { calls: 0, ms: 0 },
  timedOut: { calls: 1, share: 1 / 41 },
}

function show(suggestions: readonly Suggestion[], others: readonly NoSuggestion[], columns?: number): string {
  return stripVTControlCharacters(suggestReport(suggestions, others, columns).join('\n'))
}

test('each suggestion with its reasons', () => {
  const others: NoSuggestion[] = [
    { tool: 'a', kind: 'few', reason: '' },
    { tool: 'b', kind: 'fits', reason: '' },
    { tool: 'c', kind: 'unclear', reason: 'its limit depends on the call' },
  ]
  expect(show([shorter, longer], others)).toMatchInlineSnapshot(`
    "mcp__github__search  4 s
      now 1 min, its adapter's default
      99 % of 1,204 successful calls took at most 2.1 s
      12 calls (1 %) timed out far above that; if they should succeed, they need a longer timeout instead
      would have cut off 3 successful calls (0.2 %)
      would have saved 12 min 24 s in 14 calls that failed

    script_deploy  2 min
      now 1 min, the tool's own timeout
      the longest of 40 successful calls took 58 s
      1 call (2.4 %) timed out, so some need more time than that

    c: its limit depends on the call
    the timeout of 1 other tool fits; 1 tool has too few successful calls"
  `)
})

test('no line is too long, and names are neutralised', () => {
  const lines = show([{ ...shorter, tool: '\u001b[2J\u202ename' }], [], 60).split('\n')
  expect(lines[0]).toBe('name  4 s')
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(60)
})

test('without suggestions, the reasons of a few tools are given', () => {
  expect(show([], [{ tool: 'a', kind: 'few', reason: 'too few' }])).toBe('a: too few')
})
