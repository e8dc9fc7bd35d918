import { type ReviewedTool, rules } from '@curfew/review'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scaled } from '../../../test/support/scaled.ts'
import { type Fields, reviewed } from './reviewed.ts'

const keywords = [
  'type',
  'properties',
  'required',
  'items',
  'prefixItems',
  'enum',
  'const',
  'default',
  'description',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'anyOf',
  'oneOf',
  'allOf',
  '$ref',
  '$defs',
  'additionalProperties',
  'dependentRequired',
  'command_args',
  'city',
  'toString',
  'valueOf',
  '__proto__',
  'hasOwnProperty',
  'constructor',
]
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
/** JSON that looks like a schema often enough to get deep into the rules. */
const { schema } = fc.letrec((tie) => ({
  schema: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    values,
    fc.array(tie('schema'), { maxLength: 4 }),
    fc
      .array(fc.tuple(fc.constantFrom(...keywords), tie('schema')), { maxLength: 6 })
      // As JSON.parse would: `__proto__` is a key like any other.
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
    own: fc.option(fc.record({ readOnly: fc.boolean(), concurrent: fc.boolean() }), { nil: undefined }),
  })
  .map((fields) => reviewed(fields as Fields))

function review(tools: readonly ReviewedTool[]) {
  return tools.flatMap((one) => rules.flatMap((rule) => rule.check(one, tools)))
}

test('no JSON makes a rule throw, and every finding is whole', () => {
  fc.assert(
    fc.property(fc.array(tool, { minLength: 1, maxLength: 4 }), (tools) => {
      for (const finding of review(tools)) {
        expect(rules.some(({ id, severity }) => id === finding.rule && severity === finding.severity)).toBe(
          true,
        )
        expect(finding.message).not.toBe('')
        expect(finding.message).not.toMatch(/\n|undefined|\[object/)
        expect(finding.pointer).toMatch(/^\//)
        expect(finding.rewrite.length).toBeLessThanOrEqual(2_000)
        // Nothing in a report may steer a terminal.
        expect(`${finding.message}${finding.rewrite.replaceAll(/[\n\r\t]/g, '')}`).not.toMatch(
          /[\p{Cc}\u202A-\u202E\u2066-\u2069]/u,
        )
      }
    }),
    { numRuns: scaled(500) },
  )
})

test('the same tools give the same findings', () => {
  fc.assert(
    fc.property(fc.array(tool, { maxLength: 3 }), (tools) => {
      expect(review(structuredClone(tools))).toEqual(review(tools))
    }),
    { numRuns: scaled(50) },
  )
})

describe('what is too much', () => {
  const huge = 10 * 1024 * 1024
  const deep = (levels: number): ReviewedTool['inputSchema'] => {
    let inner: Record<string, unknown> = { type: 'string' }
    for (let level = 0; level < levels; level++) inner = { type: 'object', properties: { a: inner } }
    return inner
  }
  const nestedList = (levels: number): unknown => {
    let inner: unknown = 'x'
    for (let level = 0; level < levels; level++) inner = [inner]
    return inner
  }
  const hostile: Record<string, Partial<ReviewedTool>> = {
    'a description of 10 MB of one letter': { description: 'a'.repeat(huge) },
    'a description of 10 MB of spaces': { description: ' '.repeat(huge) },
    'a description of 10 MB of line feeds': { description: '\n'.repeat(huge) },
    'a description of 10 MB of sentences': { description: 'Get it. '.repeat(huge / 8) },
    'a description of 10 MB of asterisks': { description: '*'.repeat(huge) },
    'a description of 10 MB of commas': { description: `Get${', and'.repeat(huge / 5)}` },
    'a description of 10 MB of joiners': { description: '\u200d'.repeat(huge / 2) },
    'a description of 10 MB in Cyrillic': { description: 'слово '.repeat(huge / 6) },
    'a description of 10 MB of mixed letters': { description: 'wоrd '.repeat(huge / 5) },
    'a name of 10 MB': { name: 'getFile_'.repeat(huge / 8) },
    'a name of 10 MB of capitals': { name: 'A'.repeat(huge) },
    'a schema of 10,000 levels': { inputSchema: deep(10_000) },
    'a default of 10,000 levels': {
      inputSchema: {
        type: 'object',
        properties: { a: { type: 'string', enum: ['x', nestedList(10_000)], default: nestedList(10_000) } },
      },
    },
    '100,000 parameters': {
      inputSchema: {
        type: 'object',
        properties: Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`p${index}`, {}])),
      },
    },
    '100,000 required names': {
      inputSchema: {
        type: 'object',
        properties: {},
        required: Array.from({ length: 100_000 }, (_, index) => `p${index}`),
      },
    },
    '100,000 branches': {
      inputSchema: {
        type: 'object',
        anyOf: Array.from({ length: 100_000 }, (_, index) => ({ required: [`p${index}`] })),
      },
    },
    'references in a circle': {
      inputSchema: {
        type: 'object',
        properties: { a: { $ref: '#/properties/b' }, b: { $ref: '#/properties/a' }, c: { $ref: '#' } },
      },
    },
    'a parameter described in 10 MB': {
      inputSchema: {
        type: 'object',
        properties: { a: { type: 'string', description: 'word '.repeat(huge / 5) } },
      },
    },
    'a choice of 100,000': {
      inputSchema: {
        type: 'object',
        properties: { a: { enum: Array.from({ length: 100_000 }, String), default: 'x' } },
      },
    },
  }
  test.each(Object.entries(hostile))('%s is found in bounded time', (_, fields) => {
    const one = reviewed({ description: 'Get the weather.', ...fields })
    const start = performance.now()
    const findings = review([one])
    // Milliseconds where it is well; a machine that is busy may take its time.
    expect(performance.now() - start).toBeLessThan(20_000)
    expect(findings.length).toBeGreaterThan(0)
  })

  test('a cyclic object, which no JSON can be', () => {
    const inputSchema: Record<string, unknown> = { type: 'object', additionalProperties: false }
    inputSchema.properties = { again: inputSchema }
    expect(review([reviewed({ inputSchema })]).map(({ rule }) => rule)).toContain('schema-size')
  })
})

test('a thousand tools of the same name', () => {
  const tools = Array.from({ length: 1_000 }, () => reviewed({ description: 'Get the weather of a city.' }))
  const start = process.cpuUsage()
  expect(review(tools).filter(({ rule }) => rule === 'name-near-duplicate').length).toBe(999)
  expect(process.cpuUsage(start).user / 1_000).toBeLessThan(10_000)
})

test('a thousand definitions in a moment', () => {
  const tools = Array.from({ length: 1_000 }, (_, index) =>
    reviewed({
      name: `read_record_${(index % 26) + 10}_of_table_${index}`,
      description: `Reads record ${index} of a table. Use this when you need a record. Returns JSON with its fields.`,
      inputSchema: {
        type: 'object',
        properties: Object.fromEntries(
          Array.from({ length: 8 }, (_, n) => [`field_${n}`, { type: 'string' }]),
        ),
        required: ['field_0'],
      },
    }),
  )
  // Time of this process, as others may be at work on the machine.
  const start = process.cpuUsage()
  expect(review(tools).length).toBeGreaterThan(5_000)
  const { user, system } = process.cpuUsage(start)
  expect((user + system) / 1_000).toBeLessThan(10_000)
})
