import { describe, expect, it } from 'vitest'
import { effectVerbs } from '../src/behaviour/verb-phrase.ts'
import { verbOf } from '../src/language/verbs.ts'
import { reviewTools } from '../src/review-tools.ts'
import { reviewed } from './reviewed.ts'

describe('rules and score mean the same by a verb', () => {
  it('whatever tells of an effect is a verb', () => {
    const words = [...effectVerbs].filter((word) => verbOf(word) === undefined)
    // At the beginning of a sentence these compare.
    expect(words.sort()).toEqual(['like', 'unlike'])
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
