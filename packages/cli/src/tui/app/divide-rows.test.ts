import { expect, test } from 'vitest'
import { divideRows, freeRows, type RegionContents } from './divide-rows.ts'

const idle: RegionContents = {
  inputRows: 1,
  hasHint: false,
  menuRows: 0,
  hasQuestion: false,
  isExpanded: false,
  queuedRows: 0,
  isWorking: false,
  hasCalls: false,
  hasPending: false,
}
const busy = { ...idle, isWorking: true, hasCalls: true, hasPending: true, queuedRows: 4 }

test('the region is always lower than the terminal', () => {
  const booleans = [false, true]
  for (let rows = 4; rows < 100; rows++)
    for (const inputRows of [1, 2, 5])
      for (const base of [idle, busy, { ...busy, hasPending: false }, { ...busy, queuedRows: 0 }])
        for (const hasQuestion of booleans)
          for (const isExpanded of booleans)
            for (const hasHint of booleans)
              for (const menuRows of [0, 5, 40]) {
                const contents = { ...base, inputRows, hasQuestion, isExpanded, hasHint, menuRows }
                const { gaps, ...parts } = divideRows(rows, contents)
                const sum = Object.values(parts).reduce((total, part) => total + part, 0)
                const blank = Object.values(gaps).filter(Boolean).length
                // The input and the status line are drawn in any case, and something to answer.
                const least = inputRows + (hasHint ? 2 : 1) + (hasQuestion || menuRows > 0 ? 1 : 0)
                const height = sum + blank + inputRows + (hasHint ? 2 : 1)
                expect(height, JSON.stringify({ rows, contents })).toBeLessThanOrEqual(
                  Math.max(least, rows - freeRows),
                )
                if (hasQuestion || menuRows > 0) expect(parts.question + parts.menu).toBeGreaterThan(0)
              }
})

test('a question leaves room for some calls, unless the terminal is low or the question is expanded', () => {
  const asking = { ...idle, hasCalls: true, hasQuestion: true }
  expect(divideRows(24, asking)).toMatchObject({ question: 13, calls: 4, gaps: { question: true } })
  expect(divideRows(10, asking)).toMatchObject({ question: 5, calls: 0, gaps: { question: false } })
  expect(divideRows(24, { ...asking, isExpanded: true })).toMatchObject({ question: 18, calls: 0 })
})

test('a menu hides the question below it', () => {
  expect(divideRows(24, { ...idle, hasQuestion: true, menuRows: 5 })).toMatchObject({ question: 0, menu: 5 })
})

test('without a question, calls and text share the terminal', () => {
  expect(divideRows(24, busy)).toMatchObject({ pending: 7, calls: 6, working: 1, queued: 4, question: 0 })
})
