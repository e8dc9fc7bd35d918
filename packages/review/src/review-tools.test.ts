import { expect, test } from 'vitest'
import { reviewedTool } from '../test/reviewed-tool.ts'
import { reviewTools } from './review-tools.ts'

test.each([
  'Benchmark',
  'Reindex',
  'Authenticate',
  'Triage',
  'Apply',
  'Reply to',
  'Multiply',
  'List',
  'Wipe',
])('rules and score agree that a sentence begins with a verb: %s', (verb) => {
  const description = `${verb} records of a team.`
  const [tool] = reviewTools([reviewedTool({ name: 'team_records', description })]).tools
  expect(tool!.findings.filter(({ rule }) => rule === 'description-sentence')).toEqual([])
  expect(tool!.score.dimensions.purpose.evidence).toContainEqual(
    expect.objectContaining({ value: 1, reason: expect.stringContaining('begins with a specific verb') }),
  )
})
