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

test('settings for tools are addressed by pattern, quoted or not', () => {
  expect(
    read(
      'tools.mcp__github__*.timeout=5s',
      'tools."a.b/c".readOnly=true',
      'tools.a.b.idleTimeout=2m',
      'tools.x.resources=["one"]',
      'tools.x.resources=["two"]',
    ),
  ).toEqual({
    values: {
      'tools.mcp__github__*.timeout': 5_000,
      'tools.a.b/c.readOnly': true,
      'tools.a.b.idleTimeout': 120_000,
      'tools.x.resources': ['two'],
    },
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
  ['grace=', 'grace', /expected a duration with a unit, such as 90s or 5m, got ""/],
  ['grace=5 parsecs', 'grace', /expected a duration with a unit, such as 90s or 5m, got "5 parsecs"/],
  ['grace=0s', 'grace', /expected a duration greater than zero, got "0s"/],
  ['concurrency=zero', 'concurrency', /expected a number, got "zero"/],
  ['grace=-1', 'grace', /./],
  ['=5', '', /unknown setting/],
  ['tools.a.timout=5s', 'tools.a.timout', /unknown setting; did you mean "timeout"\?/],
  ['tools.a.frobnicate=5s', 'tools.a.frobnicate', /unknown setting; expected tools.PATTERN.SETTING/],
  ['tools.a=5s', 'tools.a', /expected tools.PATTERN.SETTING/],
  ['tools=5s', 'tools', /expected tools.PATTERN.SETTING/],
  ['tools.a b.timeout=5s', 'tools.a b.timeout', /expected the name of a tool, or a pattern/],
  ['tools.a.timeout=5', 'tools.a.timeout', /expected a duration with a unit, got 5; write 5s or 5ms/],
  ['tools.a.readOnly=yes', 'tools.a.readOnly', /expected true or false, got "yes"/],
  [
    'tools.a.resources=repo',
    'tools.a.resources',
    /expected a JSON array of strings, such as \["repo"\], got "repo"$/,
  ],
  ['tools.a.approval=maybe', 'tools.a.approval', /must be one of/],
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
