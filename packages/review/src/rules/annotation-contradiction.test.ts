import { expect, test } from 'vitest'
import { reviewedTool } from '../../test/reviewed-tool.ts'
import { rules } from './index.ts'

const annotationContradiction = rules.find(({ id }) => id === 'annotation-contradiction')!

test('names the claim, the words that contradict it, and the correct annotation', () => {
  const tool = reviewedTool({
    name: 'run_command',
    description: 'Run a shell command.',
    annotations: { readOnlyHint: true },
  })
  expect(annotationContradiction.check(tool, [])).toEqual([
    {
      rule: 'annotation-contradiction',
      severity: 'error',
      message:
        'readOnlyHint is true, but the tool runs commands (name: "run_command"; description: "run a shell command")',
      rewrite: '"readOnlyHint": false',
      pointer: '/annotations/readOnlyHint',
      count: 1,
    },
  ])
})

test('names the flag of a Curfew tool instead of the hint', () => {
  const tool = reviewedTool({
    name: 'build',
    description: 'Build the project.',
    usage: 'It runs any command of the build file.',
    curfew: { adapter: 'script', readOnly: true },
  })
  expect(annotationContradiction.check(tool, [])).toEqual([
    expect.objectContaining({ rewrite: '"readOnly": false', pointer: '/readOnly' }),
  ])
})
