import { expect, test } from 'vitest'
import { readFlags } from './config-flags.ts'

const read = (...flags: string[]) => {
  const { values, problems } = readFlags(flags)
  return { values: Object.fromEntries([...values].map(([key, { value }]) => [key, value])), problems }
}

test('rules may be a JSON array, as in variables: it is no rule that matches nothing', () => {
  expect(read('approval.rules.deny=["a", "b(*)"]')).toMatchObject({
    values: { 'approval.rules.deny': ['a', 'b(*)'] },
    problems: [],
  })
})

test('the later of two counts, but rules add up; a value may contain =', () => {
  expect(
    read('grace=5', 'grace=2s', 'approval.rules.deny=a', 'approval.rules.deny=b(x=1)', 'approval=deny'),
  ).toEqual({
    values: { grace: 2_000, 'approval.rules.deny': ['a', 'b(x=1)'], 'approval.default': 'deny' },
    problems: [],
  })
})

test('a number that was hardly meant as milliseconds is a warning', () => {
  expect(read('toolCallTimeout=90', 'timeouts.script=90s', 'heartbeat=5000')).toEqual({
    values: { toolCallTimeout: 90, 'timeouts.script': 90_000, heartbeat: 5_000 },
    problems: [
      {
        severity: 'warning',
        file: 'the command line',
        field: 'toolCallTimeout',
        message: '90 is 90 ms; write 90s?',
      },
    ],
  })
})

test.each([
  ['garce=5', 'garce', /there is no such setting; did you mean "grace"\?/],
  ['timeouts.scirpt=5', 'timeouts.scirpt', /did you mean "timeouts.script"\?/],
  ['zzzzzzzzzzzzzzzzzzzzzz=5', 'zzzzzzzzzzzzzzzzzzzzzz', /curfew config lists them/],
  ['constructor=5', 'constructor', /there is no such setting/],
  ['limits=5', 'limits', /limits.callsPerTurn, limits.depth, limits.continuations/],
  ['grace', 'grace', /write grace=VALUE/],
  ['grace=', 'grace', /not a usable duration/],
  ['grace=-1', 'grace', /more than zero/],
  ['=5', '', /there is no such setting/],
  ['approval.rules.deny=["a"', 'approval.rules.deny', /is neither a rule nor a JSON array of rules/],
  ['approval.rules.deny=a b', 'approval.rules.deny[0]', /is not a rule/],
])('%s is refused', (flag, field, message) => {
  expect(read(flag)).toEqual({
    values: {},
    problems: [
      { severity: 'error', file: 'the command line', field, message: expect.stringMatching(message) },
    ],
  })
})
