import { expect, test } from 'vitest'
import { exampleRow, liveOutput } from '../../../test/example-row.ts'
import { countOutputLines, outputTail } from './output-tail.ts'

test.each([
  ['all test', 's\n', ['all tests'], 1],
  ['one\nport 300', '7', ['one', 'port 3007'], 2],
  ['one\n', 'sk-\n', ['one', 'sk-'], 2],
  ['', 's', ['s'], 1],
  ['key: ', '…', ['key: …'], 1],
])('%j is followed by %j, which may become part of a secret', (text, outputPending, lines, count) => {
  const row = exampleRow({ ...liveOutput(text), outputPending })
  expect(outputTail(row, 3)).toEqual({ lines, hidden: 0 })
  expect(countOutputLines(row)).toBe(count)
})
