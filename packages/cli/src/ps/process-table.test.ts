import { expect, test } from 'vitest'
import {
  exampleNow,
  exampleProcess,
  exampleRunningCall,
} from '../../../../test/support/example-running-call.ts'
import { processTable } from './run-ps.ts'

test('one line per call', () => {
  const processes = [
    exampleProcess([
      exampleRunningCall(),
      exampleRunningCall({
        id: 'm4tq-18',
        parent: 'm4tq-17',
        tool: 'sleep',
        args: '',
        outputTail: '',
        outputLines: 0,
      }),
      exampleRunningCall({ id: 'm4tq-19', status: 'awaiting_approval', startedAt: null, outputTail: '' }),
    ]),
    exampleProcess([exampleRunningCall({ id: 'k9ab-1', timeoutMs: null, background: true })], {
      program: 'call',
      pid: 12,
      contact: 'silent',
      omitted: 3,
    }),
  ]
  expect(processTable(processes, { now: exampleNow, hasProjects: false })).toEqual([
    'id       program    state                                         time     tool         arguments',
    'm4tq-17  mcp(4711)  running                                       21s/30s  run_command  npm test | second',
    'm4tq-18  mcp(4711)  running                                       21s/30s    sleep',
    'm4tq-19  mcp(4711)  waiting for your approval                     -        run_command  npm test',
    'k9ab-1   call(12)   in the background (process does not respond)  21s      run_command  npm test | second',
    '+ 3 more calls',
  ])
})

test('several projects, and hostile text', () => {
  const call = exampleRunningCall({
    tool: 'a\u001b[2Jb\nc',
    args: 'command="\u001b]0;x\u0007\\nls"',
    outputTail: 'x\u001b[31m\u202ey\r\nz',
  })
  const lines = processTable([exampleProcess([call])], { now: exampleNow, hasProjects: true })
  expect(lines).toHaveLength(2)
  expect(lines[1]).not.toMatch(/\p{Cc}|\u202e/u)
  expect(lines[1]).toMatch(/^\/home\/ada\/shop {2}m4tq-17 /)
})

test('nothing', () => {
  expect(processTable([exampleProcess([])], { now: exampleNow, hasProjects: true })).toEqual([])
})
