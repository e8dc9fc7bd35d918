import { fileURLToPath } from 'node:url'
import { externalAgents } from '@curfew/agent/tools'
import { expect, test } from 'vitest'
import { left, linux, newTag } from '../../../test/support/processes.ts'
import { setUpDelegation, success } from './support/delegation-setup.ts'

const program = fileURLToPath(new URL('./fixtures/external-agent.js', import.meta.url))
const approve = '{"verdict": "approve", "findings": []}'

function setUp(text: string, timeoutMs = 20_000) {
  const tag = newTag()
  const command = (behaviour: string): string[] => [process.execPath, program, behaviour, tag]
  const agents = externalAgents({
    stuck: { command: command('stubborn') },
    broken: { command: command('fail') },
    words: { command: command('ask') },
  })
  const options = { externalAgents: agents }
  const limits = { timeouts: { 'cross-review': timeoutMs } }
  return { ...setUpDelegation(() => ({ text }), options, limits), tag }
}

test.runIf(linux)('one that hangs and one that fails do not sink the rest, and nothing is left', async () => {
  const { execute, tag, model, count } = setUp(approve, 8_000)
  const result = success(
    await execute('cross_review_with_external_agents', {
      subject: 'The diff.',
      reviewers: ['stuck', 'broken', 'general'],
      rounds: 1,
    }),
  )
  expect(result.value).toMatchObject({
    verdict: 'approve',
    votes: { approve: 1, revise: 0 },
    reviewers: ['general'],
    failures: [
      { reviewer: 'broken', message: expect.stringContaining('out of tokens') },
      { reviewer: 'stuck', message: expect.stringContaining('wrote no answer within') },
    ],
  })
  expect(result.content).toContain('Verdict: approve (1 approve, 0 revise; general; 1 round, they agree)')
  expect([left(tag), count(), model.requests.length]).toEqual([[], 0, 1])
})

test('reviewers differ: another round, then one verdict', async () => {
  const { execute, model } = setUp(approve)
  const result = success(
    await execute('cross_review_with_external_agents', {
      subject: 'The diff.',
      reviewers: ['words', 'general'],
      rounds: 3,
    }),
  )
  expect(result.value).toMatchObject({ verdict: 'approve', rounds: 3, agreed: false })
  expect(JSON.stringify(model.requests.at(-1)!.prompt)).toContain('words (no verdict)')
  expect(result.output).toContain('[words] no terminal')
})

test('if all fail, it is an error with their reasons', async () => {
  const { execute } = setUp('')
  const reviewers = ['broken', 'general']
  expect(
    await execute('cross_review_with_external_agents', { subject: 'The diff.', reviewers }),
  ).toMatchObject({
    code: 'TOOL_FAILED',
    message: expect.stringMatching(/no reviewer gave an opinion[\s\S]*broken: .*out of tokens/),
  })
})

test('it needs approval, and its own subagents may only read', async () => {
  const denied = setUpDelegation([], {}, { approval: 'ask' })
  const params = { subject: 'The diff.', reviewers: ['general'], rounds: 1 }
  expect(await denied.execute('cross_review_with_external_agents', params)).toMatchObject({ code: 'DENIED' })
  const { execute, count } = setUpDelegation([
    { calls: [{ name: 'count' }, { name: 'look' }] },
    { text: approve },
  ])
  success(await execute('cross_review_with_external_agents', params))
  expect(count()).toBe(0)
})

test('generate_plan: reads, changes nothing, and returns a structured plan', async () => {
  const plan =
    '{"summary": "Add it.", "steps": [{"title": "Test", "details": "It fails.", "files": ["a.ts"]}], "risks": ["Slow."]}'
  const { execute, count } = setUpDelegation(
    [{ calls: [{ name: 'count' }, { name: 'look' }] }, { text: plan }],
    {},
    { approval: 'ask' },
  )
  const result = success(await execute('generate_plan', { task: 'Add it.' }))
  expect(count()).toBe(0)
  expect(result.value).toMatchObject({
    plan: { summary: 'Add it.', steps: [{ title: 'Test', files: ['a.ts'] }] },
  })
  expect(result.content).toMatch(
    /^Add it\.\n\n1\. Test\n {3}It fails\.\n {3}Files: a\.ts\n\nRisks:\n- Slow\./,
  )
})
