import { expect, test } from 'vitest'
import { readVariables } from './read-variables.ts'

const read = (env: Record<string, string>) => {
  const { values, problems } = readVariables(env)
  return { values: Object.fromEntries([...values].map(([key, { value }]) => [key, value])), problems }
}

test.each([
  ['CURFEW_TOOL_CALL_TIMEOUT', '5000', 'toolCallTimeout', 5_000],
  ['CURFEW_TOOL_CALL_TIMEOUT', '90s', 'toolCallTimeout', 90_000],
  ['CURFEW_MAX_TOOL_CALL_TIMEOUT', ' 2m ', 'maxToolCallTimeout', 120_000],
  ['CURFEW_CONCURRENCY', '3', 'concurrency', 3],
  ['CURFEW_LIMITS_CALLS_PER_TURN', '7', 'limits.callsPerTurn', 7],
  ['CURFEW_TIMEOUTS_SCRIPT', '10m', 'timeouts.script', 600_000],
  ['CURFEW_TIMEOUTS_MCP_STDIO', '1000', 'timeouts.mcp-stdio', 1_000],
  ['CURFEW_GRACE', '5', 'grace', 5],
  ['CURFEW_APPROVAL_RULES_DENY', 'timeout(rm *)', 'approval.rules.deny', ['timeout(rm *)']],
  ['CURFEW_APPROVAL_RULES_ASK', ' ["a", "b(*)"]', 'approval.rules.ask', ['a', 'b(*)']],
  ['CURFEW_APPROVAL_RULES_ALLOW', '["a"]', 'approval.rules.allow', ['a']],
  ['CURFEW_VIEW', 'stub', 'view', 'stub'],
  ['CURFEW_LOOPS', 'false', 'loops', false],
  ['CURFEW_APPROVAL', 'deny', 'approval.default', 'deny'],
  ['CURFEW_APPROVAL_DEFAULT', 'allow', 'approval.default', 'allow'],
  ['CURFEW_SPILL_DIRECTORY', '5', 'spillDirectory', '5'],
  ['MAX_SUBAGENT_TIMEOUT_MIN', '20', 'timeouts.subagent', 1_200_000],
])('%s=%s sets %s', (variable, text, key, value) => {
  expect(read({ [variable]: text })).toEqual({ values: { [key]: value }, problems: [] })
  expect(readVariables({ [variable]: text }).values.get(key)).toMatchObject({
    source: 'environment',
    variable,
  })
})

test.each([
  ['CURFEW_TOOL_CALL_TIMEOUT', '0', /greater than zero/],
  ['CURFEW_TOOL_CALL_TIMEOUT', '-5', /greater than zero/],
  ['CURFEW_TOOL_CALL_TIMEOUT', '1e99', /at most/],
  ['CURFEW_TOOL_CALL_TIMEOUT', 'soon', /expected a duration/],
  ['CURFEW_TOOL_CALL_TIMEOUT', ' ', /expected a duration/],
  ['CURFEW_CONCURRENCY', 'many', /must be integer/],
  ['CURFEW_CONCURRENCY', '1.5', /must be integer/],
  ['CURFEW_LIMITS_DEPTH', '0', /must be >= 1/],
  ['CURFEW_VIEW', 'all', /must be one of/],
  ['CURFEW_LOOPS', 'no', /must be/],
  ['CURFEW_APPROVAL', 'no', /must be one of/],
  ['CURFEW_APPROVAL_RULES_DENY', 'a b', /expected a rule .+, got "a b"/],
  ['CURFEW_APPROVAL_RULES_DENY', '["a"', /expected a rule or a JSON array/],
  ['CURFEW_APPROVAL_RULES_DENY', '[1]', /must be string/],
  ['MAX_SUBAGENT_TIMEOUT_MIN', '0', /minutes/],
  ['MAX_SUBAGENT_TIMEOUT_MIN', 'ten', /minutes .+, got "ten"/],
])('%s=%s is reported with the name of the variable', (variable, text, message) => {
  expect(read({ [variable]: text, CURFEW_GRACE: '5' })).toEqual({
    values: { grace: 5 },
    problems: [
      {
        severity: 'error',
        file: 'the environment',
        field: variable,
        message: expect.stringMatching(message),
      },
    ],
  })
})

test('MAX_SUBAGENT_TIMEOUT_MIN above an hour is a warning, and CURFEW_TIMEOUTS_SUBAGENT overrides it', () => {
  expect(read({ MAX_SUBAGENT_TIMEOUT_MIN: '90' })).toMatchObject({
    values: { 'timeouts.subagent': 5_400_000 },
    problems: [{ severity: 'warning', field: 'MAX_SUBAGENT_TIMEOUT_MIN', message: /cap of 1 h/ }],
  })
  expect(read({ MAX_SUBAGENT_TIMEOUT_MIN: '1e12' }).values).toEqual({ 'timeouts.subagent': 2 ** 31 - 1 })
  const both = { MAX_SUBAGENT_TIMEOUT_MIN: '20', CURFEW_TIMEOUTS_SUBAGENT: '5m' }
  expect(read(both).values).toEqual({ 'timeouts.subagent': 300_000 })
})

test.each([
  ['CURFEW_TOOL_CALL_TIMEOUT', '90', '90 is 90 ms; write 90s?', 'toolCallTimeout', 90],
  ['CURFEW_BREAKER_RESET_TIME', '1.5', '1.5 is 1.5 ms; write 1.5s?', 'breaker.resetTime', 1.5],
])('%s=%s is used, with a warning', (variable, text, message, key, value) => {
  const problem = { severity: 'warning', file: 'the environment', field: variable, message }
  expect(read({ [variable]: text })).toEqual({ values: { [key]: value }, problems: [problem] })
})

test.each([
  ['CURFEW_TOOL_CALL_TIMOUT', /unknown setting; did you mean "CURFEW_TOOL_CALL_TIMEOUT"\?/],
  ['CURFEW_PASPHRASE', /did you mean "CURFEW_PASSPHRASE"\?/],
  ['CURFEW_APPROVAL_RULES_DENNY', /did you mean "CURFEW_APPROVAL_RULES_DENY"\?/],
])('%s is reported as unknown', (variable, message) => {
  expect(read({ [variable]: 'x' })).toEqual({
    values: {},
    problems: [
      {
        severity: 'warning',
        file: 'the environment',
        field: variable,
        message: expect.stringMatching(message),
      },
    ],
  })
})

test('empty variables and other CURFEW_ variables are ignored', () => {
  const env = {
    CURFEW_GRACE: '',
    CURFEW_TRUST: '1',
    CURFEW_CALL: 'x',
    CURFEW_DEADLINE_MS: '5',
    CURFEW_TEST_THING: 'x',
    PATH: '/bin',
  }
  expect(read(env)).toEqual({ values: {}, problems: [] })
})
