import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scaled } from '../../../test/support/scaled.ts'
import { reviewTools } from '../src/review-tools.ts'
import type { ReviewedTool } from '../src/review-types.ts'
import { innocents, liars } from './corpus-score/behaviour-cases.ts'
import { definition } from './corpus-score/definition.ts'
import { seedTimeout } from './corpus-score/seed-timeout.ts'

const words =
  `run command file delete write to the a , and or not use 'sleep' "x" \`y_z\` if — . ! ? \n constructor __proto__
  toString returns web url send email é 文件 😀 e.g. read-only (`.split(' ')
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.constantFrom(...words), { maxLength: 60 }).map((parts) => parts.join(' ')),
)
const json = fc.jsonValue({ maxDepth: 4 }).filter((value) => typeof value === 'object' && value !== null)
const schema = fc.oneof(
  json,
  fc
    .dictionary(text, json)
    .map((properties) => ({ type: 'object', properties, required: Object.keys(properties) })),
) as fc.Arbitrary<ReviewedTool['inputSchema']>
const flag = fc.boolean()
const tool: fc.Arbitrary<ReviewedTool> = fc.record({
  name: text,
  title: fc.option(text, { nil: undefined }),
  description: fc.option(text, { nil: undefined }),
  usage: fc.option(text, { nil: undefined }),
  inputSchema: schema,
  outputSchema: fc.option(schema, { nil: undefined }),
  annotations: fc.option(
    fc.record(
      { title: text, readOnlyHint: flag, destructiveHint: flag, idempotentHint: flag, openWorldHint: flag },
      { requiredKeys: [] },
    ),
    { nil: undefined },
  ),
  own: fc.option(
    fc.record({
      adapter: fc.constantFrom('builtin', 'function', 'script', 'api'),
      readOnly: flag,
      concurrent: flag,
      idempotent: flag,
      destructive: flag,
      openWorld: flag,
      declared: fc.constant(new Set()),
      timeoutMs: fc.option(fc.nat(), { nil: undefined }),
    }),
    { nil: undefined },
  ),
  place: fc.constant(undefined),
  suppressions: fc.array(
    fc.record({ rule: fc.constantFrom('annotation-contradiction', 'x'), reason: text }),
    { maxLength: 2 },
  ),
})

test('whatever comes in: no throw, scores from 1 to 5, the same each time', () => {
  fc.assert(
    fc.property(fc.array(tool, { maxLength: 8 }), (tools) => {
      const review = reviewTools(tools)
      expect(review.tools).toHaveLength(tools.length)
      for (const { score, grade } of review.tools) {
        for (const each of Object.values(score.dimensions)) {
          expect([1, 2, 3, 4, 5]).toContain(each.score)
          expect(each.evidence.length).toBeGreaterThan(0)
          for (const line of each.evidence) expect(line).toMatch(/^[^\p{Cc}]{1,2000}$/u)
        }
        expect(score.overall).toBeGreaterThanOrEqual(1)
        expect(score.overall).toBeLessThanOrEqual(5)
        if (score.cappedBy !== null) expect(['C', 'D']).toContain(grade)
      }
      if (review.server !== null) {
        expect(review.server.score).toBeGreaterThanOrEqual(1)
        expect(review.server.score).toBeLessThanOrEqual(5)
      }
      expect(reviewTools(structuredClone(tools))).toEqual(review)
    }),
    { numRuns: scaled(100) },
  )
})

test('a tool without a description is 1.0, whatever else it has', () => {
  fc.assert(
    fc.property(tool, (any) => {
      const [review] = reviewTools([{ ...any, description: undefined, usage: undefined }]).tools
      expect(review!.score.overall).toBe(1)
      expect(review!.grade).toBe('D')
    }),
  )
})

test('a thousand definitions', () => {
  const templates = [...liars, ...innocents].map((each) => each.tool).concat(seedTimeout)
  const tools = Array.from({ length: 1_000 }, (_, index) => {
    const template = templates[index % templates.length]!
    return { ...structuredClone(template), name: `${template.name}_${index}` }
  })
  const start = performance.now()
  reviewTools(tools)
  const took = performance.now() - start
  expect(took).toBeLessThan(20_000)
})

test.each([
  ['10 MB of words', 'delete a file and '.repeat(600_000)],
  ['10 MB without a space', 'a'.repeat(10_000_000)],
  ['10 MB of spaces', ' '.repeat(10_000_000)],
  ['10 MB of quotes', "'a".repeat(5_000_000)],
  ['10 MB of dots', '. '.repeat(5_000_000)],
  ['10 MB of dashes', `${'a-'.repeat(5_000_000)}`],
])('%s: bounded work', (_name, description) => {
  const start = performance.now()
  const [review] = reviewTools([definition({ name: 'large', description })]).tools
  expect(performance.now() - start).toBeLessThan(20_000)
  expect(review!.score.dimensions.conciseness.score).toBeLessThanOrEqual(2)
})

test('schemas that point at themselves, or go on for ever', () => {
  let deep: object = { type: 'string' }
  for (let depth = 0; depth < 10_000; depth++) deep = { type: 'object', properties: { a: deep } }
  const cyclic = { $ref: '#/properties/b' }
  const loop: Record<string, unknown> = { description: 'Where it begins again.' }
  loop.properties = { loop }
  const tool = definition({
    name: 'odd',
    description: 'Take odd schemas as they come.',
    properties: { deep, a: { $ref: '#/properties/a' }, b: cyclic, c: { $ref: '#' }, loop, d: null as never },
  })
  expect(reviewTools([tool]).tools[0]!.score.dimensions.parameters.score).toBeLessThanOrEqual(2)
})
