import { expect, test } from 'vitest'
import { contradictionsOf } from '../../src/review/behaviour/contradictions.ts'
import { learnBehaviour } from '../../src/review/behaviour/learn-behaviour.ts'
import { annotationContradiction } from '../../src/review/rules/annotation-contradiction.ts'
import { innocents, liars } from './corpus-score/behaviour-cases.ts'
import { definition } from './corpus-score/definition.ts'
import { wordCases } from './corpus-score/word-cases.ts'

test.each(liars.map((each) => [each.tool.name, each.tool.description, each] as const))(
  'a lie: %s, %s',
  (_name, _description, { tool, lies }) => {
    const found = contradictionsOf(tool)
    expect(found.map(({ hint }) => hint)).toEqual(lies)
    for (const { evidence } of found) expect(evidence.length).toBeGreaterThan(0)
  },
)

test.each(innocents.map((each) => [each.tool.name, each.tool.description, each] as const))(
  'no lie: %s, %s',
  (_name, _description, { tool }) => {
    expect(contradictionsOf(tool)).toEqual([])
  },
)

test.each(wordCases)('%s, %s: %s', (name, description, does) => {
  const learned = learnBehaviour(definition({ name, description }))
  const effects = (['runs', 'writes', 'deletes', 'network'] as const).filter(
    (effect) => learned[effect].length > 0,
  )
  expect(effects.join(' '), JSON.stringify(learned)).toBe(does)
})

test('the finding names the claim, the words that decided, and the honest annotation', () => {
  const [{ tool }] = liars as [(typeof liars)[0]]
  expect(annotationContradiction.check(tool, [])).toEqual([
    {
      rule: 'annotation-contradiction',
      severity: 'error',
      message:
        'readOnlyHint is true, but the tool runs commands (name: "run_command"; description: "run a shell command")',
      rewrite: '"readOnlyHint": false',
      pointer: '/annotations/readOnlyHint',
    },
  ])
})

test('for our own tools it speaks of their flags', () => {
  const { tool } = liars.at(-1)!
  expect(annotationContradiction.check(tool, [])).toEqual([
    expect.objectContaining({ rewrite: '"readOnly": false', pointer: '/readOnly' }),
  ])
})
