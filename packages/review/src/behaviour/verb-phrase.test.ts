import { expect, test } from 'vitest'
import { verbOf } from '../language/verbs.ts'
import { effectVerbs } from './verb-phrase.ts'

test('every verb that indicates an effect is a known verb', () => {
  const unknown = [...effectVerbs].filter((word) => verbOf(word) === undefined)
  // At the beginning of a sentence these are comparisons.
  expect(unknown.sort()).toEqual(['like', 'unlike'])
})
