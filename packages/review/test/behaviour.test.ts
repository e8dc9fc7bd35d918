import { describe, expect, test } from 'vitest'
import { findContradictions, type Hint } from '../src/behaviour/find-contradictions.ts'
import { inferBehaviour } from '../src/behaviour/infer-behaviour.ts'
import { annotationContradiction } from '../src/rules/annotation-contradiction.ts'
import { wordsThatDoNot, wordsThatLie } from './corpus-score/action-cases.ts'
import { innocents, liars } from './corpus-score/behaviour-cases.ts'
import { definition } from './corpus-score/definition.ts'
import { wordCases } from './corpus-score/word-cases.ts'

test.each(liars.map((each) => [each.tool.name, each.tool.description, each] as const))(
  'a lie: %s, %s',
  (_name, _description, { tool, lies }) => {
    const found = findContradictions(tool)
    expect(found.map(({ hint }) => hint)).toEqual(lies)
    for (const { evidence } of found) expect(evidence.length).toBeGreaterThan(0)
  },
)

test.each(innocents.map((each) => [each.tool.name, each.tool.description, each] as const))(
  'no lie: %s, %s',
  (_name, _description, { tool }) => {
    expect(findContradictions(tool)).toEqual([])
  },
)

const claims: Readonly<Record<Hint, object>> = {
  readOnlyHint: { readOnlyHint: true },
  idempotentHint: { readOnlyHint: false, idempotentHint: true },
  openWorldHint: { openWorldHint: false },
  destructiveHint: { readOnlyHint: false, destructiveHint: false },
}

describe.each(Object.entries(claims) as [Hint, object][])('%s', (hint, annotations) => {
  test.each(wordsThatLie[hint])('lies for %s: %s', (name, description) => {
    expect(
      findContradictions(definition({ name, description, annotations })).map((found) => found.hint),
    ).toEqual([hint])
  })
  test.each(wordsThatDoNot[hint])('is true for %s: %s', (name, description) => {
    expect(findContradictions(definition({ name, description, annotations }))).toEqual([])
  })
})

test('a program with arguments is run, whatever its description says', () => {
  const properties = { args: { type: 'string', description: 'What comes behind the name.' } }
  const tool = definition({ name: 'kubectl', description: 'Manage the cluster.', properties })
  expect(inferBehaviour(tool).runs).toEqual(['parameter: args'])
})

test.each(wordCases)('%s, %s: %s', (name, description, does) => {
  const learned = inferBehaviour(definition({ name, description }))
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
