import { niceTool, sleepTool, storeSecretTool, type Tool, timeoutTool } from '@curfew/core'
import { expect, test } from 'vitest'
import { reviewTools } from '../src/review-tools.ts'
import type { Dimension, ReviewedTool } from '../src/review-types.ts'
import { fromTool } from '../src/reviewed-tool.ts'
import { gradeOf, scoreTool } from '../src/score/score-tool.ts'
import { definition } from './corpus-score/definition.ts'
import { scoreCases } from './corpus-score/score-cases.ts'
import { seedTimeout } from './corpus-score/seed-timeout.ts'

const shipped = [timeoutTool, sleepTool, niceTool, storeSecretTool].map((tool) =>
  fromTool(tool as unknown as Tool),
)

test.each(scoreCases.map((each, index) => [index, each.tool.name, each] as const))(
  'definition %i, %s',
  (_index, _name, { tool, grade, scores }) => {
    const score = scoreTool(tool)
    for (const [dimension, expected] of Object.entries(scores)) {
      const [least, most] = typeof expected === 'number' ? [expected, expected] : expected
      const got = score.dimensions[dimension as Dimension]
      const told = `${dimension}\n${got.evidence.join('\n')}`
      expect(got.score, told).toBeGreaterThanOrEqual(least)
      expect(got.score, told).toBeLessThanOrEqual(most)
    }
    expect(gradeOf(score.overall, score.cappedBy), JSON.stringify(score, null, 1)).toBe(grade)
  },
)

test('the published timeout tool: its lie is found, and the rest is scored as it was published', () => {
  const review = reviewTools([seedTimeout])
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
  expect(tool!.score.dimensions.usage.evidence).toEqual([
    '2 to begin with: its purpose implies a use',
    '+1 says when to use it (Use to prevent runaway commands from blocking agent workflow…)',
    "+1 says when not to (Not for introducing delays — use 'sleep' to pause.)",
    '+1 names an alternative (`sleep`)',
  ])
})

test('without the lie it would have been an A', () => {
  const honest = { ...seedTimeout, annotations: { readOnlyHint: false } }
  expect(reviewTools([honest]).tools[0]).toMatchObject({ grade: 'A', score: { cappedBy: null } })
})

test.each(shipped.map((tool) => [tool.name, tool] as const))(
  '%s as we ship it is an A without a smell',
  (_name, tool) => {
    const score = scoreTool(tool, shipped)
    expect(gradeOf(score.overall, score.cappedBy), JSON.stringify(score, null, 1)).toBe('A')
    expect(score.smells).toEqual([])
  },
)

test('a suppressed contradiction holds nothing down, and stays visible', () => {
  const suppressions = [{ rule: 'annotation-contradiction', reason: 'the allowed commands only look' }]
  const [tool] = reviewTools([{ ...seedTimeout, suppressions }]).tools
  expect(tool!.findings.map(({ rule }) => rule)).not.toContain('annotation-contradiction')
  expect(tool!.suppressed).toEqual(
    expect.arrayContaining([
      {
        finding: expect.objectContaining({ rule: 'annotation-contradiction' }),
        reason: 'the allowed commands only look',
      },
    ]),
  )
  expect(tool!.score.cappedBy).toBeNull()
  expect(tool!.score.dimensions.behaviour.score).toBeGreaterThan(1)
})

test('a description that a sibling has too costs a point of purpose', () => {
  const tools = ['get_note', 'fetch_note'].map((name) =>
    definition({ name, description: 'Get the text of a note.' }),
  )
  const alone = scoreTool(tools[0]!, [tools[0]!]).dimensions.purpose
  const beside = scoreTool(tools[0]!, tools).dimensions.purpose
  expect(beside.score).toBe(alone.score - 1)
  expect(beside.evidence).toContain('-1 reads like `fetch_note`')
})

test('a sibling of one word is an alternative only where it is quoted', () => {
  const sleep = definition({ name: 'sleep', description: 'Wait for a while.' })
  const says = (description: string): ReviewedTool => definition({ name: 'nap', description })
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
])('a word in quotes is an alternative where it is offered: %s', (description, usage) => {
  expect(scoreTool(definition({ name: 'send', description })).dimensions.usage.score).toBe(usage)
})
