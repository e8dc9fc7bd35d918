import { expect, test } from 'vitest'
import { verbOf } from '../language/verbs.ts'
import { effectVerbs } from './verb-phrase.ts'

test('every verb that indicates an effect is a known verb', () => {
  const unknown = [...effectVerbs].filter((word) => verbOf(word) === undefined)
  expect(unknown).toEqual([])
})
