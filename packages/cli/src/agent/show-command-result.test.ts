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

const success = {
  id: 'typed-1',
  name: 'timeout',
  status: 'success',
  value: 'with secrets',
  output: '',
  durationMs: 1,
  timeoutMs: null,
  timeoutSource: null,
  notices: [],
  content: '',
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

it.each([
  [{ outcome: 'exited', exit_code: 0, stdout: 'a\nb\n', stderr: '' }, 'a\nb'],
  [{ outcome: 'exited', exit_code: 2, stdout: 'a\n', stderr: 'no\n' }, 'a\nno\nexit code 2'],
  [{ outcome: 'timed_out', exit_code: null, stdout: '', stderr: '' }, 'timed out'],
])('the output of a shell command on a terminal: %j', (value, shown) => {
  const content = JSON.stringify(value)
  const show = (columns: number | undefined, more: object = {}) =>
    showCommandResult({ type: 'call', result: { ...success, content, ...more } }, columns)
  expect(show(80)).toBe(shown)
  expect(show(undefined)).toBe(content)
  expect(show(80, { name: 'other' })).toBe(content)
  expect(show(80, { content: content.slice(0, 20) })).toBe(content.slice(0, 20))
})

it.each([
  ['[exit code 0 after 80 ms]\na\n[exit code 0 after 1 ms]', 'a\n[exit code 0 after 1 ms]'],
  ['[exit code 0 after 80 ms, no output]', ''],
  ['[exit code 2 after 80 ms]\na', '[exit code 2 after 80 ms]\na'],
])('what run_command returned on a terminal: %j', (content, shown) => {
  const result = { type: 'call', result: { ...success, name: 'run_command', content } } as const
  expect(showCommandResult(result, 80)).toBe(shown)
  expect(showCommandResult(result, undefined)).toBe(content)
})

it('choices and text are wrapped', () => {
  const choices = [
    { input: '/restore 12', description: '2 min ago, before a call' },
    { input: '/restore 9', description: 'just now' },
  ]
  expect(showCommandResult({ type: 'choices', title: 'Choose:', choices }, 24)).toBe(
    'Choose:\n/restore 12  2 min ago,\n             before a\n             call\n/restore 9   just now',
  )
  expect(showCommandResult({ type: 'text', text: 'one two\nthree four' }, 8)).toBe('one two\nthree\nfour')
})
