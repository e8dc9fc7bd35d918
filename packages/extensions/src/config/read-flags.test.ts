import { expect, test } from 'vitest'
import { readFlags } from './read-flags.ts'

const read = (...flags: string[]) => {
  const { values, problems } = readFlags(flags)
  return { values: Object.fromEntries([...values].map(([key, { value }]) => [key, value])), problems }
}

test('rules may be a JSON array', () => {
  expect(read('approval.rules.deny=["a", "b(*)"]')).toMatchObject({
    values: { 'approval.rules.deny': ['a', 'b(*)'] },
    problems: [],
  })
})

test('the last value is used, rules are combined, and a value may contain =', () => {
  expect(
    read('grace=5ms', 'grace=2s', 'approval.rules.deny=a', 'approval.rules.deny=b(x=1)', 'approval=deny'),
  ).toEqual({
    values: { grace: 2_000, 'approval.rules.deny': ['a', 'b(x=1)'], 'approval.default': 'deny' },
    problems: [],
  })
})

test.each([
  ['toolCallTimeout=5000', '5000', '5s'],
  ['toolCallTimeout=90', '90', '90s or 90ms'],
  ['grace=1.5', '1.5', '1.5s or 1.5ms'],
])('rejects a duration without a unit: %s', (flag, got, example) => {
  const field = flag.split('=')[0]!
  const message = `expected a duration with a unit, got ${got}; write ${example}`
  const problem = { severity: 'error', file: 'the command line', field, message }
  expect(read(flag)).toEqual({ values: {}, problems: [problem] })
})

test.each([
  ['garce=5', 'garce', /unknown setting; did you mean "grace"\?/],
  ['timeouts.scirpt=5', 'timeouts.scirpt', /did you mean "timeouts.script"\?/],
  ['zzzzzzzzzzzzzzzzzzzzzz=5', 'zzzzzzzzzzzzzzzzzzzzzz', /curfew config lists them/],
  ['constructor=5', 'constructor', /unknown setting/],
  ['limits=5', 'limits', /limits.callsPerTurn, limits.depth, limits.continuations/],
  ['grace', 'grace', /expected grace=VALUE/],
  ['grace=', 'grace', /./],
  ['grace=-1', 'grace', /./],
  ['=5', '', /unknown setting/],
  ['approval.rules.deny=["a"', 'approval.rules.deny', /expected a rule or a JSON array of rules/],
  ['approval.rules.deny=a b', 'approval.rules.deny[0]', /expected a rule/],
])('rejects %s', (flag, field, message) => {
  expect(read(flag)).toEqual({
    values: {},
    problems: [
      { severity: 'error', file: 'the command line', field, message: expect.stringMatching(message) },
    ],
  })
})
