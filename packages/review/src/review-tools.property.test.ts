import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scaled } from '../../../test/support/scaled.ts'
import { reviewedTool } from '../test/reviewed-tool.ts'
import { reviewTools } from './review-tools.ts'
import type { ReviewedTool, ToolReview } from './review-types.ts'

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
  curfew: fc.option(
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
  location: fc.constant(undefined),
  suppressions: fc.array(
    fc.record({ rule: fc.constantFrom('annotation-contradiction', 'x'), reason: text }),
    { maxLength: 2 },
  ),
})

function isValid({ score, grade }: ToolReview): boolean {
  return (
    score.overall >= 1 &&
    score.overall <= 5 &&
    (score.cappedBy === null || grade === 'C' || grade === 'D') &&
    Object.values(score.dimensions).every(
      (dimension) =>
        [1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5].includes(dimension.score) &&
        dimension.evidence.length > 0 &&
        dimension.evidence.every(({ reason }) => /^[^\p{Cc}]{1,2000}$/u.test(reason)),
    )
  )
}

test('any tools can be reviewed, with scores from 1 to 5 and the same result each time', () => {
  fc.assert(
    fc.property(fc.array(tool, { maxLength: 4 }), (tools) => {
      const review = reviewTools(tools)
      expect(review.tools).toHaveLength(tools.length)
      expect(review.tools.filter((each) => !isValid(each))).toEqual([])
      if (review.server !== null) {
        expect(review.server.score).toBeGreaterThanOrEqual(1)
        expect(review.server.score).toBeLessThanOrEqual(5)
      }
      expect(reviewTools(structuredClone(tools))).toEqual(review)
    }),
    { numRuns: scaled(100) },
  )
})

test('a tool without a description scores 1.0, whatever else it has', () => {
  fc.assert(
    fc.property(tool, (any) => {
      const [review] = reviewTools([{ ...any, description: undefined, usage: undefined }]).tools
      expect(review!.score.overall).toBe(1)
      expect(review!.grade).toBe('D')
    }),
    { numRuns: scaled(50) },
  )
})

// The timeout of a test bounds the time: linear work takes milliseconds, quadratic work at this length a minute.
test.each([
  ['words', 'delete a file and '],
  ['a word without end', 'a'],
  ['spaces', ' '],
  ['quotes', "'a"],
  ['dots', '. '],
  ['dashes', 'a-'],
])('a very long description of %s takes bounded work', (_name, part) => {
  const description = part.repeat(400_000 / part.length)
  const [review] = reviewTools([reviewedTool({ name: 'large', description })]).tools
  expect(review!.score.dimensions.conciseness.score).toBeLessThanOrEqual(2)
})

test('a thousand tools take bounded work', () => {
  const tools = Array.from({ length: 1_000 }, (_, index) =>
    reviewedTool({
      name: `read_record_${index % 26}_of_table_${index}`,
      description: `Reads record ${index} of a table. Use this when you need a record. Returns JSON with its fields.`,
      properties: Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`field_${n}`, { type: 'string' }])),
      required: ['field_0'],
    }),
  )
  expect(reviewTools(tools).tools.every(({ findings }) => findings.length > 4)).toBe(true)
})

test('cyclic and very deep schemas take bounded work', () => {
  let deep: object = { type: 'string' }
  for (let depth = 0; depth < 10_000; depth++) deep = { type: 'object', properties: { a: deep } }
  const loop: Record<string, unknown> = { description: 'The beginning of a cycle.' }
  loop.properties = { loop }
  const tool = reviewedTool({
    name: 'odd',
    description: 'Accept any schema.',
    properties: {
      deep,
      a: { $ref: '#/properties/a' },
      b: { $ref: '#/properties/b' },
      c: { $ref: '#' },
      loop,
      d: null as never,
    },
  })
  expect(reviewTools([tool]).tools[0]!.score.dimensions.parameters.score).toBeLessThanOrEqual(2)
})
