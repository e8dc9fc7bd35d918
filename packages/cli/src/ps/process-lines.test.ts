import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  exampleNow,
  exampleProcess,
  exampleRunningCall,
} from '../../../../test/support/example-running-call.ts'
import { widthOf } from '../terminal.ts'
import { createTheme } from '../tui/theme/theme.ts'
import { type ProcessLinesOptions, processLines } from './process-lines.ts'

const options: ProcessLinesOptions = {
  width: 80,
  height: Number.POSITIVE_INFINITY,
  now: exampleNow,
  theme: createTheme('plain'),
  spinner: '•',
  hasProjects: false,
}

const subagent = exampleRunningCall({
  id: 'm4tq-9',
  tool: 'invoke_subagent',
  args: 'task="Find out why uploads hang"',
  elapsedMs: 47_000,
  timeoutMs: 600_000,
  outputTail: '',
  outputLines: 0,
})
const inside = exampleRunningCall({ parent: 'm4tq-9' })
const waiting = exampleRunningCall({
  id: 'k9ab-3',
  tool: 'write_file',
  args: 'path="src/a.ts", content="x"',
  status: 'awaiting_approval',
  startedAt: null,
  elapsedMs: 0,
  timeoutMs: null,
  outputTail: '',
  outputLines: 0,
})

test('processes, nested calls, limits, output and what waits for a person', () => {
  const processes = [
    exampleProcess([subagent, inside], { program: 'terminal' }),
    exampleProcess([waiting], { pid: 4802, run: 'k9ab' }),
    exampleProcess([], { pid: 1 }),
  ]
  expect(processLines(processes, options)).toEqual([
    'terminal (process 4711)',
    '  m4tq-9   • invoke_subagent Find out why uploads h… · 48 s of 10 min ░░░░░░░░░░',
    '  m4tq-17    • run_command npm test · 21 s of 30 s ███████░░░',
    '               second',
    'mcp (process 4802)',
    '  k9ab-3   ? write_file src/a.ts · waiting for your approval',
  ])
})

test('several projects', () => {
  const here = exampleProcess([inside])
  const there = exampleProcess([waiting], { project: '/srv/web', program: 'call', pid: 7 })
  const alsoHere = exampleProcess([subagent], { pid: 8 })
  const lines = processLines([here, there, alsoHere], { ...options, hasProjects: true })
  expect(lines.map((line) => line.trim().split(/ {2}| •/)[0])).toEqual([
    '/home/ada/shop',
    'mcp (process 4711)',
    'm4tq-17',
    'second',
    'mcp (process 8)',
    'm4tq-9',
    '/srv/web',
    'call (process 7)',
    'k9ab-3',
  ])
})

test.each([
  ['silent', 'mcp (process 4711) · does not respond; as last recorded'],
  ['unknown', 'mcp (process 4711) · does not respond and may have ended; as last recorded'],
  ['none', 'mcp (process 4711)'],
] as const)('a process that is %s', (contact, line) => {
  expect(processLines([exampleProcess([inside], { contact })], options)[0]).toBe(line)
})

test('as many lines as there are, first without output, then without calls', () => {
  const calls = Array.from({ length: 6 }, (_, index) => exampleRunningCall({ id: `m4tq-${index}` }))
  const processes = [exampleProcess(calls), exampleProcess([waiting], { pid: 2 })]
  const shown = (height: number): string[] =>
    processLines(processes, { ...options, height }).map((line) => line.trim().split(/ {2}/)[0]!)
  expect(shown(15)).toHaveLength(15)
  expect(shown(14)).toHaveLength(9)
  expect(shown(8)).toEqual([
    'mcp (process 4711)',
    ...calls.map(({ id }) => id),
    '+ 1 more call; curfew ps lists them',
  ])
  expect(shown(3)).toEqual(['mcp (process 4711)', 'm4tq-0', '+ 6 more calls; curfew ps lists them'])
  expect(shown(1)).toEqual(['+ 7 more calls; curfew ps lists them'])
})

test('calls that the process left out are counted', () => {
  expect(processLines([exampleProcess([inside], { omitted: 500 })], options).at(-1)).toBe(
    '  + 500 more calls',
  )
})

test('whatever a tool is called and prints, lines are as wide as the terminal at most, and contain no control characters', () => {
  const text = fc.string({ unit: 'binary', maxLength: 60 })
  const call = fc
    .tuple(
      fc.stringMatching(/^[a-z]{4}-[0-9]{1,15}$/),
      text,
      text,
      text,
      fc.constantFrom('executing', 'awaiting_approval', 'scheduled'),
    )
    .map(([id, tool, args, outputTail, status]) => exampleRunningCall({ id, tool, args, outputTail, status }))
  const frame = fc.record({
    width: fc.integer({ min: 20, max: 130 }),
    height: fc.integer({ min: 1, max: 30 }),
  })
  fc.assert(
    fc.property(fc.array(call, { maxLength: 8 }), text, frame, (calls, program, { width, height }) => {
      const lines = processLines([exampleProcess(calls, { program, project: program })], {
        ...options,
        width,
        height,
        hasProjects: true,
      })
      expect(lines.length).toBeLessThanOrEqual(height)
      for (const line of lines) {
        expect(line).not.toMatch(/\p{Cc}/u)
        expect(widthOf(line)).toBeLessThanOrEqual(width)
      }
    }),
  )
})
