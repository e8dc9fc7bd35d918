import { expect, test } from 'vitest'
import { eraseFrame } from './erase-frame.ts'

const frame = ['a'.repeat(60), '\u001b[1mb\u001b[22m', `> ${'c'.repeat(50)}`, 'status', '']
const erased = (up: number): string => `\u001b[?25l\u001b[${up}A\u001b[1G\u001b[J`

test('goes up to the first line', () => {
  expect(eraseFrame(frame, { x: 52, y: 2 }, 80)).toBe(erased(2))
  expect(eraseFrame(frame, undefined, 80)).toBe('\u001b[4A\u001b[1G\u001b[J')
})

test('counts the rows of lines that are now wrapped', () => {
  expect(eraseFrame(frame, { x: 2, y: 2 }, 40)).toBe(erased(3))
  // The cursor is in the second row of its line.
  expect(eraseFrame(frame, { x: 52, y: 2 }, 40)).toBe(erased(4))
  expect(eraseFrame(frame, undefined, 30)).toBe('\u001b[6A\u001b[1G\u001b[J')
})

test('a line that fills its row is one row, and wide characters take two columns', () => {
  expect(eraseFrame(['x'.repeat(40), ''], { x: 0, y: 1 }, 40)).toBe(erased(1))
  expect(eraseFrame(['日'.repeat(21), ''], { x: 0, y: 1 }, 40)).toBe(erased(2))
})

test('nothing to go up to', () => {
  expect(eraseFrame([], undefined, 80)).toBe('\u001b[1G\u001b[J')
  expect(eraseFrame(['> '], { x: 2, y: 5 }, 80)).toBe('\u001b[?25l\u001b[1G\u001b[J')
  expect(eraseFrame(['a', 'b'], undefined, 0)).toBe('\u001b[1A\u001b[1G\u001b[J')
})
