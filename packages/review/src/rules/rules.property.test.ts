import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scaled } from '../../../../test/support/scaled.ts'
import { type Fields, reviewedTool } from '../../test/reviewed-tool.ts'
import type { Finding, ReviewedTool } from '../review-types.ts'
import { rules } from './index.ts'

const keywords =
  `type properties required items prefixItems enum const default description minimum maximum exclusiveMinimum minLength
  maxLength minItems maxItems anyOf oneOf allOf $ref $defs additionalProperties dependentRequired command_args city toString
  valueOf __proto__ hasOwnProperty constructor`.split(/\s+/)
const values = fc.oneof(
  fc.constantFrom<unknown>(
    'object',
    'string',
    'array',
    'number',
    '#/$defs/a',
    '#/properties/city',
    null,
    true,
    0,
    -1,
    1e308,
    '',
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
)
/** JSON that resembles a schema often enough to get deep into the rules. */
const { schema } = fc.letrec((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    values,
    fc.array(tie('schema'), { maxLength: 3 }),
    fc
      .array(fc.tuple(fc.constantFrom(...keywords), tie('schema')), { maxLength: 6 })
      // Unlike an object literal, JSON.parse makes `__proto__` an ordinary key.
      .map((entries) =>
        JSON.parse(
          `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',')}}`,
        ),
      ),
  ),
}))
const phrases = fc.constantFrom(
  'Use this when ',
  'Returns JSON with ',
  '**',
  '`',
  '- ',
  '\n',
  '. ',
  'unlike ',
  'A tool that ',
  'Gets ',
  '\u202e',
  'а',
  '日本',
  '1. ',
  ', ',
)
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.oneof(phrases, fc.lorem({ maxCount: 3 })), { maxLength: 12 }).map((parts) => parts.join('')),
)
const name = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.stringMatching(/^[a-z]{1,8}([_.-][A-Za-z\d]{1,8}){0,4}$/),
)
const tool = fc
  .record({
    name,
    title: fc.option(text, { nil: undefined }),
    description: fc.option(text, { nil: undefined }),
    inputSchema: fc.oneof(schema, fc.jsonValue()) as fc.Arbitrary<ReviewedTool['inputSchema']>,
    curfew: fc.option(fc.record({ readOnly: fc.boolean(), concurrent: fc.boolean() }), { nil: undefined }),
  })
  .map((fields) => reviewedTool(fields as Fields))

function findingsOf(tools: readonly ReviewedTool[]): Finding[] {
  return tools.flatMap((each) => rules.flatMap((rule) => rule.check(each, tools)))
}

const ids = new Set(rules.map(({ id }) => id))
const severities = new Set(['error', 'warning', 'note'])

/** Plain conditions, because an `expect` for each of some hundred thousand findings would take most of the time. */
function isValid({ rule, severity, message, rewrite, pointer }: Finding): boolean {
  return (
    ids.has(rule) &&
    severities.has(severity) &&
    message !== '' &&
    !/\n|undefined|\[object/.test(message) &&
    pointer.startsWith('/') &&
    (rewrite ?? '').length <= 2_000 &&
    // Control characters could manipulate a terminal.
    !/[\p{Cc}\u202A-\u202E\u2066-\u2069]/u.test(message + (rewrite ?? '').replaceAll(/[\n\r\t]/g, ''))
  )
}

test('no JSON makes a rule throw, and every finding is valid', () => {
  fc.assert(
    fc.property(fc.array(tool, { minLength: 1, maxLength: 2 }), (tools) => {
      expect(findingsOf(tools).filter((finding) => !isValid(finding))).toEqual([])
    }),
    { numRuns: scaled(500) },
  )
})

test('the same tools give the same findings', () => {
  fc.assert(
    fc.property(fc.array(tool, { maxLength: 2 }), (tools) => {
      expect(findingsOf(structuredClone(tools))).toEqual(findingsOf(tools))
    }),
    { numRuns: scaled(50) },
  )
})

/** The timeout of a test is what bounds the time: linear work takes milliseconds, quadratic work at this length a minute. */
describe('bounded work', () => {
  const length = 200_000
  const nested = (levels: number): ReviewedTool['inputSchema'] => {
    let inner: Record<string, unknown> = { type: 'string' }
    for (let level = 0; level < levels; level++) inner = { type: 'object', properties: { a: inner } }
    return inner
  }
  const nestedArray = (levels: number): unknown => {
    let inner: unknown = 'x'
    for (let level = 0; level < levels; level++) inner = [inner]
    return inner
  }
  const names = Array.from({ length: 100_000 }, (_, index) => `p${index}`)
  const inputs: Record<string, Fields> = {
    'a description of one letter': { description: 'a'.repeat(length) },
    'a description of spaces': { description: ' '.repeat(length) },
    'a description of line feeds': { description: '\n'.repeat(length) },
    'a description of sentences': { description: 'Get it. '.repeat(length / 8) },
    'a description of asterisks': { description: '*'.repeat(length) },
    'a description of commas': { description: `Get${', and'.repeat(length / 5)}` },
    'a description of joiners': { description: '\u200d'.repeat(length) },
    'a description in Cyrillic': { description: 'слово '.repeat(length / 6) },
    'a description of mixed letters': { description: 'wоrd '.repeat(length / 5) },
    'a name of underscores in a sentence': { description: `Get it; use a${'_'.repeat(500)}!` },
    'many sentences about usage': { description: 'Get it. Use this when asked. '.repeat(200), curfew: {} },
    '2,000 parameters with defaults in the text': {
      properties: Object.fromEntries(
        names
          .slice(0, 2_000)
          .map((each) => [each, { type: 'integer', description: 'Default 5. Given as it is.' }]),
      ),
    },
    'a long name': { name: 'getFile_'.repeat(length / 8) },
    'a long name in capitals': { name: 'A'.repeat(length) },
    'a schema of 10,000 levels': { inputSchema: nested(10_000) },
    'a default of 10,000 levels': {
      properties: { a: { type: 'string', enum: ['x', nestedArray(10_000)], default: nestedArray(10_000) } },
    },
    '100,000 parameters': { properties: Object.fromEntries(names.map((each) => [each, {}])) },
    '100,000 required names': { properties: {}, required: names },
    '100,000 branches': {
      inputSchema: { type: 'object', anyOf: names.map((each) => ({ required: [each] })) },
    },
    'circular references': {
      properties: { a: { $ref: '#/properties/b' }, b: { $ref: '#/properties/a' }, c: { $ref: '#' } },
    },
    'a long parameter description': {
      properties: { a: { type: 'string', description: 'word '.repeat(length / 5) } },
    },
    'an enum of 100,000 values': { properties: { a: { enum: names, default: 'x' } } },
  }

  test.each(Object.entries(inputs))('%s', (_, fields) => {
    expect(findingsOf([reviewedTool({ description: 'Get the weather.', ...fields })])).not.toEqual([])
  })

  test('a cyclic schema object', () => {
    const inputSchema: Record<string, unknown> = { type: 'object', additionalProperties: false }
    inputSchema.properties = { again: inputSchema }
    const found = findingsOf([reviewedTool({ inputSchema })])
    expect(found.map(({ rule }) => rule)).toContain('schema-size')
  })

  test('a thousand tools with the same name', () => {
    const tools = Array.from({ length: 1_000 }, () =>
      reviewedTool({ description: 'Get the weather of a city.' }),
    )
    expect(findingsOf(tools).filter(({ rule }) => rule === 'name-near-duplicate')).toHaveLength(999)
  })
})
