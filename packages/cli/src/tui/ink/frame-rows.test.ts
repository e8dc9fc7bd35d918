import { expect, test } from 'vitest'
import { FrameRows } from './frame-rows.ts'

const eraseLine = '\x1b[2K'
const row = (width: number): string => 'x'.repeat(width)

test('rows that are wrapped need more rows above the cursor', () => {
  const rows = new FrameRows()
  rows.write(`${row(90)}\n${row(30)}\n${row(50)}\n`)
  expect(rows.extraRows(90)).toBe(0)
  expect(rows.extraRows(40)).toBe(3)
  expect(rows.extraRows(10)).toBe(8 + 2 + 4)
})

test('rows below the cursor do not count', () => {
  const rows = new FrameRows()
  rows.write(`${row(90)}\n${row(90)}\n${row(90)}\n\x1b[2A\x1b[3G`)
  expect(rows.extraRows(40)).toBe(2)
})

test('the part of a row before the cursor counts', () => {
  const rows = new FrameRows()
  rows.write(`${row(90)}\n\x1b[1A\x1b[86G`)
  expect(rows.extraRows(40)).toBe(2)
})

test('rows that are drawn again, erased or printed above the region', () => {
  const rows = new FrameRows()
  rows.write(`${row(90)}\n${row(90)}\n`)
  // The first one is shorter now, the second one is unchanged.
  rows.write(`\x1b[2A\x1b[1G\x1b[K${row(20)}\n\x1b[E`)
  expect(rows.extraRows(40)).toBe(2)
  rows.write(`${eraseLine}\x1b[1A${eraseLine}\x1b[1A${eraseLine}\x1b[G`)
  rows.write(`${row(200)}\n`)
  rows.write(`${row(50)}\n${row(30)}\n`)
  expect(rows.extraRows(40)).toBe(1)
  rows.write('\x1b[2A\x1b[J')
  expect(rows.extraRows(40)).toBe(0)
})

test('styles and wide characters', () => {
  const rows = new FrameRows()
  rows.write(`\x1b[31m${'思'.repeat(30)}\x1b[39m\n`)
  expect(rows.extraRows(60)).toBe(0)
  expect(rows.extraRows(59)).toBe(1)
})
