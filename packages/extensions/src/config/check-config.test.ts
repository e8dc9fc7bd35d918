import { expect, test } from 'vitest'
import { checkConfig } from './check-config.ts'

const check = (document: unknown) => {
  const { values, problems } = checkConfig(document, 'config.json')
  return { values: Object.fromEntries(values), problems }
}

test('returns valid values with durations in milliseconds, and ignores // keys', () => {
  const document = {
    $schema: './config.schema.json',
    '//': 'a comment',
    '//view': 'all',
    toolCallTimeout: '90s',
    grace: 5,
    timeouts: { script: '2m', '// api': [] },
    limits: { depth: 3 },
    loops: { stopAfter: 9 },
    approval: 'deny',
    view: 'full',
  }
  expect(check(document)).toEqual({
    values: {
      toolCallTimeout: 90_000,
      grace: 5,
      'timeouts.script': 120_000,
      'limits.depth': 3,
      loops: true,
      'loops.stopAfter': 9,
      'approval.default': 'deny',
      view: 'full',
    },
    problems: [],
  })
})

test.each<[unknown, string, string | RegExp]>([
  [{ grace: 0 }, 'grace', 'expected a duration greater than zero, got 0'],
  [{ grace: -1 }, 'grace', /greater than zero/],
  [{ grace: '0s' }, 'grace', /greater than zero/],
  [{ grace: Number.NaN }, 'grace', /got NaN/],
  [{ grace: 2 ** 31 }, 'grace', /at most 2147483647 ms/],
  [{ grace: '25d' }, 'grace', /at most/],
  [{ grace: JSON.parse('1e999') }, 'grace', /at most/],
  [{ grace: 'soon' }, 'grace', /got "soon"/],
  [{ grace: true }, 'grace', /got true/],
  [{ grace: null }, 'grace', /^must be/],
  [{ grace: [] }, 'grace', /^must be/],
  [{ timeouts: { script: -1 } }, 'timeouts.script', /greater than zero/],
  [{ timeouts: 5 }, 'timeouts', 'must be object'],
  [{ breaker: { resetTime: '1 week' } }, 'breaker.resetTime', /expected a duration/],
  [{ concurrency: 0 }, 'concurrency', 'must be >= 1'],
  [{ concurrency: 1.5 }, 'concurrency', 'must be integer'],
  [{ concurrency: '8' }, 'concurrency', 'must be integer'],
  [{ limits: { depth: 1e300 } }, 'limits.depth', /^must be <=/],
  [{ loops: 'off' }, 'loops', /^must be/],
  [{ loops: { nudgeAfter: 0 } }, 'loops.nudgeAfter', 'must be >= 1'],
  [{ approval: 'denny' }, 'approval', 'must be one of "ask", "allow", "deny"'],
  [{ approval: 7 }, 'approval', /^must be/],
  [{ approval: { default: 'no' } }, 'approval.default', /^must be one of/],
  [{ approval: { rules: { deny: 'rm' } } }, 'approval.rules.deny', 'must be array'],
  [{ approval: { rules: { deny: ['a b'] } } }, 'approval.rules.deny[0]', /expected a rule .+, got "a b"/],
  [{ view: 'all' }, 'view', 'must be one of "stub", "brief", "full"'],
  [{ maxContentLength: {} }, 'maxContentLength', 'must be integer'],
  [{ spillDirectory: '' }, 'spillDirectory', /^must NOT have fewer/],
])('%j is one problem with the field, and the other values are used', (invalid, field, message) => {
  const right = { approvalTimeout: '1m' }
  const { values, problems } = check({ ...(invalid as object), ...right })
  expect(problems).toEqual([
    {
      severity: 'error',
      file: 'config.json',
      field,
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    },
  ])
  expect(values.approvalTimeout).toBe(60_000)
  expect(values[field]).toBeUndefined()
})

test('an invalid field does not affect the fields next to it', () => {
  const { values } = check({
    limits: { depth: 0, callsPerTurn: 5 },
    approval: { default: 'no', rules: { deny: ['good', '(bad)', 'fine(*)', 7] } },
    loops: { nudgeAfter: 'x', stopAfter: 2 },
  })
  expect(values).toEqual({
    'limits.callsPerTurn': 5,
    'approval.rules.deny': ['good', 'fine(*)'],
    loops: true,
    'loops.stopAfter': 2,
  })
})

test('settings for tools are read by pattern, which may contain dots or be a number', () => {
  const document = {
    tools: {
      'mcp__a.b__*': { timeout: '5s', readOnly: true, resources: ['repo'], approval: 'ask', '// x': 1 },
      12: { idleTimeout: 7, resources: [] },
      '//': 'a comment',
    },
  }
  expect(check(document)).toEqual({
    values: {
      'tools.mcp__a.b__*.timeout': 5_000,
      'tools.mcp__a.b__*.readOnly': true,
      'tools.mcp__a.b__*.resources': ['repo'],
      'tools.mcp__a.b__*.approval': 'ask',
      'tools.12.idleTimeout': 7,
      'tools.12.resources': [],
    },
    problems: [],
  })
})

test.each<[unknown, string, string | RegExp]>([
  [{ a: { timeout: 'soon' } }, 'tools.a.timeout', /got "soon"/],
  [{ a: { timeout: null } }, 'tools.a.timeout', /^must be/],
  [{ a: { readOnly: 'yes' } }, 'tools.a.readOnly', 'must be boolean'],
  [{ 12: { readOnly: 'yes' } }, 'tools[12].readOnly', 'must be boolean'],
  [{ a: { resources: 'repo' } }, 'tools.a.resources', 'must be array'],
  [{ a: { resources: ['repo', 1] } }, 'tools.a.resources[1]', 'must be string'],
  [{ a: { resources: [''] } }, 'tools.a.resources[0]', /fewer than 1/],
  [{ a: { approval: 'denny' } }, 'tools.a.approval', /^must be one of/],
  [{ a: 5 }, 'tools.a', 'must be object'],
  [{ 'a b': { timeout: 5 } }, 'tools.a b', /expected the name of a tool, or a pattern/],
  [{ 'a[b]': { timeout: 5 } }, 'tools.a[b]', /expected the name of a tool, or a pattern/],
  [5, 'tools', 'must be object'],
])('in tools, %j is one problem with the field, and the other values are used', (tools, field, message) => {
  const entries = typeof tools === 'object' ? { ...tools, other: { timeout: 5 } } : tools
  const { values, problems } = check({ tools: entries, grace: 9 })
  expect(problems).toEqual([
    {
      severity: 'error',
      file: 'config.json',
      field,
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    },
  ])
  expect(values).toEqual(typeof tools === 'object' ? { grace: 9, 'tools.other.timeout': 5 } : { grace: 9 })
})

test('an unknown setting in tools is a warning with a hint', () => {
  const { values, problems } = check({ tools: { 'a.b': { timout: 5, concurrent: true } } })
  expect(values).toEqual({ 'tools.a.b.concurrent': true })
  expect(problems).toMatchObject([
    { severity: 'warning', field: 'tools.a.b.timout', message: expect.stringContaining('"timeout"?') },
  ])
})

test('an unknown field is a warning with a hint', () => {
  const { problems } = check({ toolCallTimout: 5, timeouts: { scirpt: 5 } })
  expect(problems).toMatchObject([
    { severity: 'warning', field: 'toolCallTimout', message: expect.stringContaining('"toolCallTimeout"?') },
    { severity: 'warning', field: 'timeouts.scirpt', message: expect.stringContaining('"script"?') },
  ])
})

test("a value above an adapter's cap is a warning that names both; the runtime applies the cap", () => {
  const { values, problems } = check({ timeouts: { api: '10m', script: '10m' } })
  expect(values).toEqual({ 'timeouts.api': 600_000, 'timeouts.script': 600_000 })
  const message = "10 min exceeds the adapter's cap of 5 min, which applies"
  expect(problems).toEqual([{ severity: 'warning', file: 'config.json', field: 'timeouts.api', message }])
  const entry = { timeout: '10m', idleTimeout: '10m' }
  const tools = { 'api_*': entry, api: entry, 'script_*': entry, invoke_external_agent: { timeout: '2h' } }
  expect(check({ tools }).problems).toMatchObject([
    { severity: 'warning', field: 'tools.api_*.timeout', message },
    { severity: 'warning', field: 'tools.invoke_external_agent.timeout' },
  ])
})

test('a document that is not an object, or nested too deeply, is ignored', () => {
  const deep = JSON.parse(`{"grace": 5, "//": ${'['.repeat(200_000)}${']'.repeat(200_000)}}`)
  for (const document of [[], 'text', null, 5, deep]) {
    const { values, problems } = check(document)
    expect(values).toEqual({})
    expect(problems).toMatchObject([{ severity: 'error', file: 'config.json', field: null }])
  }
})
