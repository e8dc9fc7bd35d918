import { createWorkspace, delegationTools, externalAgents } from '@curfew/agent/tools'
import { createRuntime } from '@curfew/core'
import { fromTool, reviewTools } from '@curfew/review'
import { expect, test } from 'vitest'

const unused = (): never => {
  throw new Error('not used')
}

test('the tools with which an agent delegates have no findings and grade A', () => {
  const tools = delegationTools({
    runtime: createRuntime(),
    workspace: createWorkspace({ root: import.meta.dirname }),
    agents: [
      {
        name: 'reviewer',
        description: 'Review code for mistakes.',
        instructions: 'You review code.',
        tools: null,
        model: null,
        mode: 'plan',
        timeoutMs: 60_000,
        source: 'user',
      },
    ],
    externalAgents: externalAgents({}),
    model: unused,
    openModel: unused,
    imageModel: unused,
    transcriptionModel: unused,
  })
  expect(tools.map(({ name }) => name)).toEqual([
    'invoke_subagent',
    'invoke_external_agent',
    'cross_review_with_external_agents',
    'generate_plan',
    'transcribe_media',
    'generate_image',
  ])
  const reviewed = reviewTools(tools.map((tool) => fromTool(tool))).tools
  expect(
    reviewed
      .filter(({ grade, findings }) => grade !== 'A' || findings.length > 0)
      .map(({ name, grade, findings, score }) => ({ name, grade, findings, score })),
  ).toEqual([])
})
