import { niceTool, sleepTool, storeSecretTool, type Tool, timeoutTool } from '@curfew/core'
import { expect, test } from 'vitest'
import { publishedTimeout } from '../../test/published-timeout.ts'
import { type Fields, reviewedTool } from '../../test/reviewed-tool.ts'
import { fromTool } from '../from-tool.ts'
import { reviewTools } from '../review-tools.ts'
import type { Dimension, Grade, ReviewedTool } from '../review-types.ts'
import { formatEvidence } from './format-evidence.ts'
import { gradeOf, scoreTool } from './score-tool.ts'

interface ScoreCase {
  readonly tool: ReviewedTool
  readonly grade: Grade
  /** A score, or its minimum and maximum. */
  readonly scores: Partial<Readonly<Record<Dimension, number | readonly [min: number, max: number]>>>
}

const scored = (grade: Grade, scores: ScoreCase['scores'], fields: Fields): ScoreCase => ({
  tool: reviewedTool(fields),
  grade,
  scores,
})
const text = (description: string, more: object = {}): object => ({ type: 'string', description, ...more })
const city = { city: text('Where, such as Oslo.', { minLength: 1 }) }
const bare = { type: 'string' }

const cases: readonly ScoreCase[] = [
  scored(
    'D',
    { purpose: 1, usage: 1, behaviour: 1, parameters: 1, conciseness: 1, completeness: 1 },
    { name: 'mystery' },
  ),
  scored('D', { purpose: 1, parameters: 1 }, { name: 'blank', description: '  \n ', properties: city }),
  scored(
    'D',
    { purpose: 2, usage: 1, behaviour: 1, completeness: 1 },
    { name: 'get_user', description: 'Get user.', properties: { id: bare } },
  ),
  scored('D', { purpose: 2, parameters: 4 }, { name: 'getUsers', description: 'Gets the users.' }),
  ...['get_user', 'getUser', 'get-user', 'GET_USER', 'get_user()', 'Tool: get_user', 'getuser'].map(
    (description) =>
      scored(
        'D',
        { purpose: 2, usage: 1, completeness: 1 },
        { name: 'get_user', description, properties: { id: bare } },
      ),
  ),
  scored(
    'D',
    { purpose: [1, 2] },
    { name: 'op6', title: 'Create Issue', description: 'CreateIssue', properties: { id: bare } },
  ),
  scored('D', { purpose: 2 }, { name: 'github_search', description: 'GitHub search.' }),
  scored(
    'C',
    { purpose: [3, 4] },
    { name: 'get_user', description: 'Get a GitHub user.', properties: { id: bare } },
  ),
  scored(
    'D',
    { purpose: 2 },
    { name: 'op7', title: 'Nightly sync', description: 'Perform the nightly sync.' },
  ),
  scored(
    'D',
    { purpose: 2 },
    { name: 'op8', annotations: { title: 'Nightly sync' }, description: 'Nightly sync.' },
  ),
  scored(
    'D',
    { purpose: 2.5, usage: 1.5, behaviour: 1.5, parameters: 1, conciseness: 2 },
    { name: 'items', description: 'Handle items somehow.', properties: { data: bare } },
  ),
  scored(
    'D',
    { purpose: 2.5, parameters: 2 },
    {
      name: 'weather',
      description: 'Weather information for a city.',
      properties: { city: bare },
    },
  ),
  scored(
    'C',
    { purpose: 3.5, usage: 1.5, behaviour: 1.5, parameters: 3.5, conciseness: 2, completeness: 2.5 },
    { name: 'get_weather', description: 'Get the weather of a city.', properties: city, required: ['city'] },
  ),
  scored(
    'C',
    { purpose: 3.5, behaviour: 2.5, conciseness: 4, completeness: 3.5 },
    {
      name: 'get_weather',
      description: 'Get the weather of a city.',
      properties: city,
      required: ['city'],
      annotations: { readOnlyHint: true },
      outputSchema: { type: 'object' },
    },
  ),
  scored(
    'A',
    { purpose: 5, usage: 5, behaviour: 4.5, parameters: 3.5, conciseness: 5, completeness: 5 },
    {
      name: 'get_weather',
      description:
        "Get the weather of a city at this moment. Use it when somebody asks for now; not for later days: use 'get_forecast'. Returns degrees and wind; fails if the city is not found. At most 60 calls per minute.",
      properties: city,
      required: ['city'],
      annotations: { readOnlyHint: true },
    },
  ),
  scored(
    'A',
    { usage: 4, purpose: 5 },
    {
      name: 'read_file',
      description: 'Read a file as text. DEPRECATED: use read_text_file instead.',
      annotations: { readOnlyHint: true },
    },
  ),
  scored(
    'B',
    { usage: 3 },
    {
      name: 'tree',
      description: 'Show the tree of a directory. Useful for finding your way.',
      properties: { path: bare },
    },
  ),
  scored(
    'B',
    { usage: 2 },
    {
      name: 'tree',
      description: 'Show the tree of a directory. Use with caution in large ones.',
      properties: { path: text('The directory to begin with.') },
    },
  ),
  // A quoted parameter is not another tool.
  scored(
    'A',
    { usage: 2, parameters: 4 },
    {
      name: 'head',
      description: "Show the first lines of a file. Use the 'count' parameter to say how many.",
      properties: { count: { type: 'integer', description: 'How many lines.' } },
    },
  ),
  scored(
    'A',
    { parameters: 4.5, purpose: 5 },
    {
      name: 'find_events',
      description:
        'Find events of a calendar between two days. Days must have the format YYYY-MM-DD; end_day defaults to start_day.',
      properties: {
        start_day: text('The first one, included.', { format: 'date' }),
        end_day: text('The last one, included.', { format: 'date', default: '' }),
      },
      required: ['start_day'],
    },
  ),
  scored(
    'C',
    { parameters: 2 },
    {
      name: 'convert',
      description: 'Convert an amount of money.',
      properties: { amount: text('How much.'), from: bare },
    },
  ),
  // A description that only repeats the parameter's name does not count.
  scored(
    'C',
    { parameters: 1.5 },
    {
      name: 'convert',
      description: 'Convert an amount of money.',
      properties: { amount: text('The amount.'), from: text('from') },
    },
  ),
  scored('B', { parameters: 4 }, { name: 'now', description: 'Tell the time of this machine.' }),
  scored(
    'B',
    { conciseness: 4 },
    {
      name: 'convert',
      description: 'This tool allows you to convert an amount of money between two currencies.',
    },
  ),
  scored(
    'B',
    { conciseness: 4 },
    {
      name: 'convert',
      description: 'Convert an amount of money between two currencies. IMPORTANT: mind the day.',
    },
  ),
  scored(
    'B',
    { conciseness: 4 },
    {
      name: 'convert',
      description:
        'Convert an amount of money between two currencies. Converts money between two currencies.',
    },
  ),
  scored(
    'B',
    { conciseness: 4 },
    {
      name: 'essay',
      description: `Write an essay on a topic. ${Array.from({ length: 120 }, (_, index) => `word${index}`).join(' ')}.`,
    },
  ),
  scored(
    'B',
    { conciseness: [1, 2] },
    { name: 'essay', description: Array.from({ length: 900 }, (_, index) => `word${index}`).join(' ') },
  ),
  scored(
    'B',
    { behaviour: 3.5, completeness: 3 },
    {
      name: 'write_file',
      description: 'Write a file. It overwrites what is there without warning; at most 10 MB.',
      properties: { path: text('Where to.'), content: text('What to write.') },
    },
  ),
  scored(
    'D',
    { purpose: 2, behaviour: 1, completeness: 1 },
    {
      name: 'delete_repository',
      description: 'Delete a repository.',
      properties: { id: text('Which one it is.') },
    },
  ),
  scored(
    'B',
    { behaviour: 4, completeness: 3 },
    {
      name: 'delete_repository',
      description:
        'Delete a repository. It cannot be undone, requires an admin token, and fails if the repository is missing.',
      properties: { id: text('Which one it is.') },
    },
  ),
  scored(
    'C',
    { behaviour: 1, purpose: [4, 5] },
    {
      name: 'delete_repository',
      description:
        'Delete a repository. It cannot be undone, requires an admin token, and fails if the repository is missing.',
      annotations: { readOnlyHint: true },
    },
  ),
  // The text names parameters that the schema does not have.
  scored(
    'C',
    { parameters: 2 },
    { name: 'convert', description: 'Convert an amount of money.\nArgs:\n  amount: How much.' },
  ),
  // A schema that allows anything says nothing.
  scored(
    'C',
    { parameters: 2 },
    {
      name: 'convert',
      description: 'Convert an amount of money.',
      properties: { amount: { description: 'How much to convert.' } },
    },
  ),
]

const builtIn = [timeoutTool, sleepTool, niceTool, storeSecretTool].map((tool) =>
  fromTool(tool as unknown as Tool),
)

test.each(cases.map((each, index) => [index, each.tool.name, each] as const))(
  'case %i: %s',
  (_index, _name, { tool, grade, scores }) => {
    const score = scoreTool(tool)
    for (const [dimension, expected] of Object.entries(scores)) {
      const [min, max] = typeof expected === 'number' ? [expected, expected] : expected
      const got = score.dimensions[dimension as Dimension]
      const details = `${dimension}\n${got.evidence.map(formatEvidence).join('\n')}`
      expect(got.score, details).toBeGreaterThanOrEqual(min)
      expect(got.score, details).toBeLessThanOrEqual(max)
    }
    expect(gradeOf(score.overall, score.cappedBy), JSON.stringify(score, null, 1)).toBe(grade)
  },
)

test('the published timeout tool gets the published scores, and its contradiction is reported', () => {
  const review = reviewTools([publishedTimeout])
  const [tool] = review.tools
  expect(tool!.findings.map(({ rule }) => rule)).toContain('annotation-contradiction')
  const scores = Object.entries(tool!.score.dimensions).map(([dimension, { score }]) => [dimension, score])
  expect(Object.fromEntries(scores)).toEqual({
    purpose: 5,
    usage: 5,
    behaviour: 1,
    parameters: 3,
    conciseness: 5,
    completeness: 4,
  })
  expect(tool!.score).toMatchObject({
    overall: 3.8,
    smells: ['behaviour'],
    cappedBy: 'annotation-contradiction',
  })
  expect(tool!.grade).toBe('C')
  expect(tool!.score.dimensions.usage.evidence).toMatchObject([
    { kind: 'base', value: 2 },
    { kind: 'points', value: 1, reason: expect.stringContaining('Use to prevent runaway commands') },
    { kind: 'points', value: 1, reason: expect.stringContaining('Not for introducing delays') },
    { kind: 'points', value: 1, reason: expect.stringContaining('`sleep`') },
  ])
})

test('without the contradiction it gets an A', () => {
  const corrected = { ...publishedTimeout, annotations: { readOnlyHint: false } }
  expect(reviewTools([corrected]).tools[0]).toMatchObject({ grade: 'A', score: { cappedBy: null } })
})

test.each(builtIn.map((tool) => [tool.name, tool] as const))(
  'built-in tool %s has grade A and no smells',
  (_name, tool) => {
    const score = scoreTool(tool, builtIn)
    expect(gradeOf(score.overall, score.cappedBy), JSON.stringify(score, null, 1)).toBe('A')
    expect(score.smells).toEqual([])
  },
)

test('a suppressed contradiction does not lower the score, and stays in the report', () => {
  const suppressions = [{ rule: 'annotation-contradiction', reason: 'the allowed commands only read' }]
  const [tool] = reviewTools([{ ...publishedTimeout, suppressions }]).tools
  expect(tool!.findings.map(({ rule }) => rule)).not.toContain('annotation-contradiction')
  expect(tool!.suppressed).toEqual(
    expect.arrayContaining([
      {
        finding: expect.objectContaining({ rule: 'annotation-contradiction' }),
        reason: 'the allowed commands only read',
      },
    ]),
  )
  expect(tool!.score.cappedBy).toBeNull()
  expect(tool!.score.dimensions.behaviour.score).toBeGreaterThan(1)
})

test('a description like that of a sibling costs a point of purpose', () => {
  const tools = ['get_note', 'fetch_note'].map((name) =>
    reviewedTool({ name, description: 'Get the text of a note.' }),
  )
  const alone = scoreTool(tools[0]!, [tools[0]!]).dimensions.purpose
  const beside = scoreTool(tools[0]!, tools).dimensions.purpose
  expect(beside.score).toBe(alone.score - 1)
  expect(beside.evidence).toContainEqual({ kind: 'points', value: -1, reason: 'reads like `fetch_note`' })
})

test('a sibling with a one-word name is an alternative only in quotes', () => {
  const sleep = reviewedTool({ name: 'sleep', description: 'Wait for a while.' })
  const says = (description: string): ReviewedTool => reviewedTool({ name: 'nap', description })
  const usageOf = (tool: ReviewedTool): number => scoreTool(tool, [tool, sleep]).dimensions.usage.score
  expect(usageOf(says("Doze for a while. Use 'sleep' for longer."))).toBe(
    usageOf(says('Doze. Do not use too much sleep.')),
  )
  expect(scoreTool(says('Doze for a while. Use sleep sounds.'), [sleep]).dimensions.usage.score).toBe(2)
})

test.each([
  ['Send a message with "high" priority.', 2],
  ['Send a message with the flag is_urgent in it.', 2],
  ["Send a message. Use 'broadcast' to reach everybody.", 3],
  ['Send a message, unlike broadcast_message.', 4],
  ['Send a message. See also `broadcast`.', 3],
])('a quoted word is an alternative only after a word such as "use": %s', (description, usage) => {
  expect(scoreTool(reviewedTool({ name: 'send', description })).dimensions.usage.score).toBe(usage)
})

test('a sentence that the siblings share counts only for the first of them', () => {
  const shared = 'It overwrites what is there, needs an API key, and fails if the file is missing.'
  const tools = ['note', 'page', 'board', 'card'].map((noun) =>
    reviewedTool({ name: `save_${noun}`, description: `Save the text of a ${noun} to a folder. ${shared}` }),
  )
  const behaviours = tools.map((tool) => scoreTool(tool, tools).dimensions.behaviour.score)
  expect(behaviours).toEqual([4.5, 2, 2, 2])
  expect(scoreTool(tools[1]!, tools.slice(1, 2)).dimensions.behaviour.score).toBe(4.5)
  // The length counts in each of them.
  const [, second] = tools.map((tool) => scoreTool(tool, tools).dimensions.conciseness.evidence)
  expect(second).toContainEqual(expect.objectContaining({ reason: expect.stringContaining('25 words') }))
})

test.each([
  [
    'third person',
    { description: 'Reads the notes of a user.' },
    { description: 'Read the notes of a user.' },
  ],
  [
    'a default',
    { properties: { limit: text('How many.') } },
    { properties: { limit: text('How many.', { default: '9' }) } },
  ],
  ['a parameter description', { properties: { limit: bare } }, { properties: { limit: text('How many.') } }],
  ['a type', { properties: { limit: {} } }, { properties: { limit: bare } }],
  ['hints', {}, { annotations: { readOnlyHint: true } }],
  ['an output schema', {}, { outputSchema: { type: 'object' } }],
])('fixing this never lowers the score: %s', (_what, before: Fields, after: Fields) => {
  const common = { name: 'read_notes', description: 'Read the notes of a user.' }
  const scoreOf = (fields: Fields): number => scoreTool(reviewedTool({ ...common, ...fields })).overall
  expect(scoreOf(after)).toBeGreaterThanOrEqual(scoreOf(before))
})

test.each([
  ['Permanently delete the account.', 'account'],
  ['Delete permanently the account.', 'account'],
  ['Delete the reply.', 'reply'],
])('%s names its object, not an adverb', (description, object) => {
  const { evidence } = scoreTool(reviewedTool({ name: 'delete_account', description })).dimensions.purpose
  expect(evidence.map(formatEvidence)).toContain(`+1 names its object (\`${object}\`)`)
})
