import { expect, it } from 'vitest'
import { showCommandResult } from './show-command-result.ts'

const table = {
  type: 'table',
  columns: ['name', 'description'],
  rows: [
    ['nice', 'Run a command with a lower priority'],
    ['sleep', 'Wait'],
  ],
  note: 'To run one: /tool NAME',
} as const

const wrapped = {
  undefined: ['name   description', 'nice   Run a command with a lower priority', 'sleep  Wait'],
  31: ['name   description', 'nice   Run a command with a', '       lower priority', 'sleep  Wait'],
  30: ['name', 'nice', '    Run a command with a lower', '    priority', 'sleep', '    Wait'],
} as const

it.each([[undefined], [31], [30]] as const)('a table on a terminal with %s columns', (columns) => {
  const lines = [...wrapped[`${columns}`], 'To run one: /tool NAME']
  expect(showCommandResult(table, columns)).toBe(lines.join('\n'))
})

it('a note is wrapped', () => {
  expect(showCommandResult({ ...table, rows: [] }, 12)).toBe('To run one:\n/tool NAME')
})

it('a table without rows is its note', () => {
  expect(showCommandResult({ ...table, rows: [] }, 40)).toBe('To run one: /tool NAME')
})
