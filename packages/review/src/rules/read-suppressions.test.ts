import { expect, test } from 'vitest'
import { readDefinition } from '../read-definition.ts'
import { rules } from './index.ts'
import { readSuppressions } from './read-suppressions.ts'

const rule = rules[0]!.id

test('a suppression with a rule and a reason takes effect', () => {
  const ignore = [{ rule, reason: ' it is short ' }]
  expect(readSuppressions({ ignore })).toEqual({
    suppressions: [{ rule, reason: 'it is short' }],
    findings: [],
  })
  expect(
    readDefinition({ name: 'a', _meta: { 'curfew/review': { ignore } } }).tool.suppressions,
  ).toHaveLength(1)
  expect(readSuppressions(undefined)).toEqual({ suppressions: [], findings: [] })
})

test.each([
  [{ ignore: [{ rule }] }, '/ignore/0', /no reason/],
  [{ ignore: [{ rule, reason: ' ' }] }, '/ignore/0', /no reason/],
  [{ ignore: [{ rule: `${rule}s`, reason: 'x' }] }, '/ignore/0/rule', /unknown rule/],
  [{ ignore: [{ rule: 'x'.repeat(1_000_000), reason: 'x' }] }, '/ignore/0/rule', /unknown rule "x{60}"/],
  [{ ignore: ['x'] }, '/ignore/0', /names no rule/],
  [{ ignore: 'x' }, '', /expected an object/],
  ['x', '', /expected an object/],
])('%j has no effect and is reported', (value, at, message) => {
  const { suppressions, findings } = readSuppressions(value, '/review')
  expect(suppressions).toEqual([])
  expect(findings).toMatchObject([{ rule: 'suppression', severity: 'warning', pointer: `/review${at}` }])
  expect(findings[0]!.message).toMatch(message)
})

test('the message about a misspelt rule names the right one', () => {
  const { findings } = readSuppressions({ ignore: [{ rule: `${rule}s`, reason: 'x' }] })
  expect(findings[0]!.message).toContain(`did you mean ${rule}?`)
})
