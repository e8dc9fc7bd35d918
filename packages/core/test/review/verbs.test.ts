import { describe, expect, it } from 'vitest'
import * as behaviourWords from '../../src/review/behaviour/behaviour-words.ts'
import { verbOf } from '../../src/review/language/verbs.ts'
import { reviewTools } from '../../src/review/review-tools.ts'
import { reviewed } from './reviewed.ts'

describe('rules and score mean the same by a verb', () => {
  const {
    readVerbs,
    changingVerbs,
    deletingVerbs,
    perhapsChangingVerbs,
    perhapsDeletingVerbs,
    runVerbs,
    addressVerbs,
  } = behaviourWords
  const known = [readVerbs, changingVerbs, deletingVerbs, perhapsChangingVerbs, perhapsDeletingVerbs]

  it('whatever tells of an effect is a verb', () => {
    const words = [...known, runVerbs, addressVerbs].flatMap((verbs) => [...verbs])
    expect(words.filter((word) => verbOf(word) === undefined)).toEqual([])
  })

  it.each([
    'Benchmark',
    'Reindex',
    'Authenticate',
    'Triage',
    'Apply',
    'Reply to',
    'Multiply',
    'List',
    'Wipe',
  ])('%s', (verb) => {
    const description = `${verb} records of a team.`
    const [tool] = reviewTools([reviewed({ name: 'team_records', description })]).tools
    expect(tool!.findings.filter(({ rule }) => rule === 'description-sentence')).toEqual([])
    expect(tool!.score.dimensions.purpose.evidence.join('\n')).toMatch(/\+1 begins with a specific verb/)
  })
})
