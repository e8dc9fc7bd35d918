import { configRoots } from '@curfew/extensions'
import { fromTool, reviewTools } from '@curfew/review'
import { expect, test } from 'vitest'
import { agentTools } from '../src/agent/agent-tools.ts'

const { tools } = agentTools({ roots: configRoots(), addedFolders: [], secretFiles: [] })
const reviews = new Map(reviewTools(tools.map((tool) => fromTool(tool))).tools.map((one) => [one.name, one]))

test.each(tools.map(({ name }) => name))('%s has no findings and the grade A', (name) => {
  const review = reviews.get(name)
  expect(review, JSON.stringify(review, null, 1)).toMatchObject({
    grade: 'A',
    findings: [],
    score: { smells: [] },
  })
})
