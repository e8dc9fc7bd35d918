import { timeoutTool } from '@curfew/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkDefinition } from './check-definition.ts'
import { fromDefinition, fromTool } from './reviewed-tool.ts'
import { rules } from './rules/index.ts'
import { readSuppressions } from './rules/read-suppressions.ts'

test('a definition is taken as it is', () => {
  const definition = {
    name: 'get_weather',
    title: 'Weather',
    description: 'Get the weather.',
    inputSchema: { type: 'object', properties: {} },
    outputSchema: { type: 'object' },
    annotations: { title: 'W', readOnlyHint: true, idempotentHint: 'yes', color: 'red' },
  }
  expect(fromDefinition(definition, { place: { file: 'a.json', line: 3 } })).toEqual({
    ...definition,
    usage: undefined,
    annotations: { title: 'W', readOnlyHint: true },
    own: undefined,
    place: { file: 'a.json', line: 3 },
    suppressions: [],
  })
  expect(checkDefinition(definition)).toMatchObject([
    { rule: 'definition-shape', pointer: '/annotations/idempotentHint', rewrite: '"idempotentHint": true' },
  ])
})

test('whatever is given: it never throws, and what has the wrong type is found', () => {
  const fields = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations', '_meta']
  const definitions = fc.oneof(fc.anything(), fc.dictionary(fc.constantFrom(...fields), fc.anything()))
  fc.assert(
    fc.property(definitions, (definition) => {
      const tool = fromDefinition(definition)
      expect(typeof tool.name).toBe('string')
      const findings = checkDefinition(definition)
      if (tool.name === '') expect(findings.length).toBeGreaterThan(0)
      for (const { message, rewrite } of findings) expect([message, rewrite]).not.toContain('')
    }),
  )
})

test.each([
  [7, '', 'the entry is a number, not a definition'],
  [null, '', 'the entry is null, not a definition'],
  [{ inputSchema: {} }, '/name', 'the tool has no name'],
  [{ name: 5, inputSchema: {} }, '/name', 'the name is a number, not a text'],
  [{ name: 'a', description: [], inputSchema: {} }, '/description', 'the description is a list, not a text'],
  [
    { name: 'a'.repeat(129), inputSchema: {} },
    '/name',
    'the name has 129 characters; the protocol allows 128',
  ],
  [{ name: 'a' }, '/inputSchema', 'the inputSchema is missing'],
  [{ name: 'a', inputSchema: [] }, '/inputSchema', 'the inputSchema is a list, not an object'],
  [
    { name: 'a', inputSchema: {}, outputSchema: 1 },
    '/outputSchema',
    'the outputSchema is a number, not an object',
  ],
  [
    { name: 'a', inputSchema: {}, annotations: 'x' },
    '/annotations',
    'the annotations are a text, not an object',
  ],
])('%j', (definition, pointer, message) => {
  expect(checkDefinition(definition)).toMatchObject([{ severity: 'error', pointer, message }])
})

test('one of our own tools says what it would tell an agent', () => {
  const tool = fromTool(timeoutTool)
  expect(tool).toMatchObject({
    name: 'timeout',
    annotations: { readOnlyHint: false, destructiveHint: true },
    own: { adapter: 'builtin', readOnly: false },
  })
  expect(tool.usage).not.toBe('')
  expect(tool.inputSchema.properties).toBeDefined()
})

const rule = rules[0]!.id

test('suppressions count with a rule and a reason', () => {
  const ignore = [{ rule, reason: ' it is short ' }]
  expect(readSuppressions({ ignore })).toEqual({
    suppressions: [{ rule, reason: 'it is short' }],
    findings: [],
  })
  expect(fromDefinition({ name: 'a', _meta: { 'curfew/review': { ignore } } }).suppressions).toHaveLength(1)
  expect(readSuppressions(undefined)).toEqual({ suppressions: [], findings: [] })
})

test.each([
  [{ ignore: [{ rule }] }, '/ignore/0', /gives no reason/],
  [{ ignore: [{ rule, reason: ' ' }] }, '/ignore/0', /gives no reason/],
  [{ ignore: [{ rule: `${rule}s`, reason: 'x' }] }, '/ignore/0/rule', /there is no rule/],
  [{ ignore: [{ rule: 'x'.repeat(1_000_000), reason: 'x' }] }, '/ignore/0/rule', /there is no rule "x{60}"/],
  [{ ignore: ['x'] }, '/ignore/0', /names no rule/],
  [{ ignore: 'x' }, '', /not a list/],
  ['x', '', /not a list/],
])('%j suppresses nothing, and is found', (value, at, message) => {
  const { suppressions, findings } = readSuppressions(value, '/review')
  expect(suppressions).toEqual([])
  expect(findings).toMatchObject([{ rule: 'suppression', severity: 'warning', pointer: `/review${at}` }])
  expect(findings[0]!.message).toMatch(message)
})

test('the rule that was meant is named', () => {
  const { findings } = readSuppressions({ ignore: [{ rule: `${rule}s`, reason: 'x' }] })
  expect(findings[0]!.rewrite).toBe(`"rule": "${rule}"`)
})
