import { stripVTControlCharacters } from 'node:util'
import type { ToolTimes } from '@curfew/journal'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scaled } from '../../../../test/support/scaled.ts'
import { widthOf } from '../terminal.ts'
import { durationPlot } from './duration-plot.ts'
import { mergeSorted, percentile } from './percentile.ts'
import { report } from './run-stats.ts'
import { statsTable } from './stats-table.ts'
import { summariseTool, type ToolSummary } from './summarise-tool.ts'

type Changes = Partial<Omit<ToolTimes, 'successMs' | 'errorMs'>> & {
  successMs?: number[]
  errorMs?: number[]
}

function times({ successMs = [], errorMs = [], ...changes }: Changes = {}): ToolTimes {
  return {
    tool: 'search',
    background: false,
    counts: { success: 0, error: 0, cancelled: 0, lost: 0, running: 0 },
    successMs: Float64Array.from(successMs),
    errorMs: Float64Array.from(errorMs),
    failures: [],
    lastSuccessAt: null,
    limits: [],
    ...changes,
  }
}

function failure(code: string | null, at = 0): ToolTimes['failures'][number] {
  return { code, at, durationMs: null, hadOtherLimit: false }
}

const limit = {
  timeoutMs: 60_000,
  timeoutSource: null,
  requestedMs: null,
  requestedSource: null,
  adapter: null,
}

describe('percentiles', () => {
  test.each([
    [[], 0.5, null],
    [[7], 0.5, 7],
    [[7], 0.99, 7],
    [[1, 2, 3, 4], 0.5, 2],
    [[1, 2, 3, 4], 0.51, 3],
    [[1, 2, 3, 4], 1, 4],
    [[1, 2, 3, 4], 0, 1],
    [Array.from({ length: 100 }, (_, index) => index + 1), 0.99, 99],
  ])('of %o: %d is %d', (values, share, expected) => {
    expect(percentile(values, share)).toBe(expected)
  })

  test('at least the share is not above it, and less is below it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ noNaN: true }), { minLength: 1 }),
        fc.double({ min: 0.001, max: 1, noNaN: true }),
        (values, share) => {
          const sorted = values.sort((a, b) => a - b)
          const found = percentile(sorted, share)!
          const upTo = sorted.filter((value) => value <= found).length
          const below = sorted.filter((value) => value < found).length
          expect(upTo / sorted.length).toBeGreaterThanOrEqual(share - 1e-9)
          expect(below / sorted.length).toBeLessThan(share)
        },
      ),
      { numRuns: scaled(200) },
    )
  })

  test('merging keeps all values in order', () => {
    const numbers = fc.array(fc.integer()).map((values) => values.sort((a, b) => a - b))
    fc.assert(
      fc.property(numbers, numbers, (a, b) => {
        expect([...mergeSorted(a, b)]).toEqual([...a, ...b].sort((x, y) => x - y))
      }),
      { numRuns: scaled(100) },
    )
  })
})

test('a summary counts every call once', () => {
  const summary = summariseTool(
    times({
      counts: { success: 3, error: 4, cancelled: 2, lost: 1, running: 1 },
      successMs: [10, 20, 30],
      errorMs: [40],
      failures: [
        failure('TOOL_TIMEOUT'),
        failure('TOOL_IDLE_TIMEOUT'),
        failure('DENIED'),
        failure('DENIED'),
        failure(null),
      ],
      limits: [{ ...limit, timeoutMs: 5, requestedSource: 'call' }, { ...limit, timeoutMs: 80 }, limit],
    }),
  )
  expect(summary).toMatchObject({
    calls: 11,
    succeeded: 3,
    failed: 4,
    timedOut: 2,
    cancelled: 2,
    lost: 1,
    running: 1,
    p50Ms: 20,
    p95Ms: 40,
    p99Ms: 40,
    maxMs: 40,
    totalMs: 100,
    limitMs: 80,
    shareOfLimit: 0.5,
    codes: { DENIED: 2, TOOL_TIMEOUT: 1, TOOL_IDLE_TIMEOUT: 1 },
    rejected: null,
  })
})

test('rejections by breakers, and since when there was no success', () => {
  const failures = [
    failure('CIRCUIT_OPEN', 100),
    failure('LOOP_DETECTED', 150),
    failure('CIRCUIT_OPEN', 300),
    failure('CIRCUIT_OPEN', 400),
  ]
  const rejections = { circuitOpen: 3, loopDetected: 1, lastAt: 400 }
  expect(summariseTool(times({ failures, lastSuccessAt: 200 })).rejected).toEqual({
    ...rejections,
    openSince: 300,
  })
  expect(summariseTool(times({ failures, lastSuccessAt: 500 })).rejected).toEqual({
    ...rejections,
    openSince: null,
  })
  expect(summariseTool(times({ failures })).rejected).toEqual({ ...rejections, openSince: 100 })
})

const search = summariseTool(
  times({
    tool: 'mcp__github__search',
    counts: { success: 1_200, error: 38, cancelled: 4, lost: 1, running: 0 },
    successMs: Array.from({ length: 1_200 }, (_, index) => 20 + index * 4),
    failures: [failure('TOOL_TIMEOUT')],
    limits: [limit],
  }),
)
const read = summariseTool(
  times({
    tool: 'read_file',
    counts: { success: 2, error: 0, cancelled: 0, lost: 0, running: 0 },
    successMs: [0.2, 3],
  }),
)
const hostile: ToolSummary = {
  ...search,
  tool: `\u001b[2J\u202e${'x你'.repeat(200)}`,
  p50Ms: -5,
  p95Ms: 1e15,
  p99Ms: 1e20,
  limitMs: 0,
}

function plain(lines: readonly string[]): string {
  return stripVTControlCharacters(lines.join('\n'))
}

test('a table', () => {
  expect(plain(statsTable([search, read], undefined))).toMatchInlineSnapshot(`
    "tool                 calls  failed    %  timeouts  cancelled  lost   p50   p95   p99  limit   total
    mcp__github__search  1,243      38  3 %         1          4     1  2.4s  4.6s  4.8s     1m  48m22s
    read_file                2       0                                   0ms   3ms   3ms      -     3ms"
  `)
  expect(plain(statsTable([search, read], 80))).toMatchInlineSnapshot(`
    "tool                 calls  failed  timeouts  lost   p50   p95   p99  limit
    mcp__github__search  1,243      38         1     1  2.4s  4.6s  4.8s     1m
    read_file                2       0                   0ms   3ms   3ms      -"
  `)
  expect(plain(statsTable([search, read], 52))).toMatchInlineSnapshot(`
    "  calls  failed  timeouts  lost   p50   p99  limit
    mcp__github__search
      1,243      38         1     1  2.4s  4.8s     1m
    read_file
          2       0                   0ms   3ms      -"
  `)
})

test('a plot', () => {
  const tools = [search, read].map((one) => ({ ...one, name: one.tool }))
  expect(plain(durationPlot(tools, 80))).toMatchInlineSnapshot(`
    "█ up to the median, ▓ 95 %, ▒ 99 % of the calls; | limit
    mcp__github__search  ██████████████████████████████████████████▓▓▓             |
    read_file            █▓▓▓▓▓
                         1 ms        10 ms        100 ms      1 s         10 s"
  `)
})

test('tables and plots of any figures fit, and are neutralised', () => {
  for (const columns of [40, 60, 80, 120, 200]) {
    for (const line of report([search, hostile, read], columns, 1_000)) {
      const text = stripVTControlCharacters(line)
      expect(text).not.toMatch(/[\p{Cc}\u202e]/u)
      // A name that is too long has a line of its own, which the terminal wraps.
      if (columns >= 60 && !text.startsWith('x你')) expect(widthOf(text)).toBeLessThanOrEqual(columns)
    }
  }
  const figure = fc.double({ min: 0, max: 1e12, noNaN: true })
  fc.assert(
    fc.property(
      fc.array(fc.tuple(figure, figure, figure, fc.option(figure)), { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 30, max: 200 }),
      (figures, columns) => {
        const tools = figures.map(([a, b, c, limitMs]) => {
          const [p50Ms, p95Ms, p99Ms] = [a, b, c].sort((x, y) => x - y)
          return { name: 'tool', p50Ms: p50Ms!, p95Ms: p95Ms!, p99Ms: p99Ms!, limitMs, timedOut: 0 }
        })
        for (const line of durationPlot(tools, columns))
          expect(widthOf(stripVTControlCharacters(line))).toBeLessThanOrEqual(columns)
      },
    ),
    { numRuns: scaled(200) },
  )
})

test('notes about breakers and about tools that do not exist', () => {
  const broken: ToolSummary = {
    ...search,
    rejected: {
      circuitOpen: 2,
      loopDetected: 1,
      lastAt: 0,
      openSince: new Date(2026, 10, 18, 9, 5).getTime(),
    },
  }
  const unknown: ToolSummary = { ...read, tool: 'serch', calls: 3, codes: { TOOL_NOT_FOUND: 3 } }
  const text = plain(report([broken, unknown], undefined, new Date(2026, 10, 18, 10, 0).getTime()))
  expect(text).toContain(
    'mcp__github__search: 2 calls rejected because it had failed too often, 1 call rejected because of a loop',
  )
  expect(text).toContain('; no success since the first of them at 09:05:00')
  expect(text).toContain('3 calls of 1 tool that did not exist: serch')
  expect(text).not.toMatch(/^serch/m)
})

test('breakers that are open', () => {
  const place = { failures: 5, program: 'mcp', pid: 4711, project: '/home/ada/shop' }
  const text = plain(
    report([read], undefined, 10_000, [
      { ...place, name: 'server:github', retryAt: 21_300 },
      { ...place, name: 'script_deploy', failures: 6, retryAt: 9_000 },
    ]),
  )
  expect(text).toContain(
    'the MCP server github: calls are rejected for another 12 s in mcp (process 4711), after 5 failures in a row',
  )
  expect(text).toContain(
    'script_deploy: the next call will be tried in mcp (process 4711), after 6 failures in a row',
  )
})
