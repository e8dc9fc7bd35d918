import { expect, test } from 'vitest'
import { reviewTools } from '../src/review-tools.ts'
import type { ReviewedTool, ServerReview } from '../src/review-types.ts'
import { definition } from './corpus-score/definition.ts'
import { seedTimeout } from './corpus-score/seed-timeout.ts'

const things = 'note event task file page user team board card label'.split(' ')
const named = (...names: string[]): ReviewedTool[] =>
  names.map((name) => definition({ name, description: `Do what ${name} says, in its own way.` }))
const server = (tools: readonly ReviewedTool[]): ServerReview => reviewTools(tools).server!
const many = (count: number): ReviewedTool[] =>
  named(...Array.from({ length: count }, (_, index) => `get_${index}th`))

test('no tools, no server', () => {
  expect(reviewTools([])).toEqual({ tools: [], server: null })
})

test('definition is 0.6 of the mean and 0.4 of the worst; coherence is 0.3 of the whole', () => {
  const tools = [
    definition({ name: 'silent' }),
    definition({ name: 'now', description: 'Tell the time of this machine.' }),
  ]
  const review = reviewTools(tools)
  const [worst, best] = review.tools.map(({ score }) => score.overall) as [number, number]
  const mean = (worst + best) / 2
  const { definition: score, coherence } = review.server!
  expect(worst).toBe(1)
  expect(score.mean).toBeCloseTo(mean, 2)
  expect(score.min).toBe(worst)
  expect(score.score).toBeCloseTo(0.6 * mean + 0.4 * worst, 2)
  const { disambiguation, naming, toolCount, completeness } = coherence
  const parts = disambiguation.score + naming.score + toolCount.score + completeness.score
  expect(coherence.score).toBeCloseTo(parts / 4, 2)
  expect(review.server!.score).toBeCloseTo(0.7 * score.score + 0.3 * coherence.score, 1)
})

test.each([
  [1, 3],
  [2, 4],
  [3, 5],
  [15, 5],
  [16, 4.9],
  [32, 3.1],
  [50, 1],
  [200, 1],
])('%i tools: %d of 5', (count, score) => {
  expect(server(many(count)).coherence.toolCount.score).toBe(score)
})

test('names of one style and one order are all of it', () => {
  expect(server(named('get_note', 'list_events', 'sleep')).coherence.naming).toEqual({
    score: 5,
    evidence: ['style: 2 of 2 are snake_case', 'order: 2 of 2 are verb first'],
  })
})

test('a name of another style is named', () => {
  const { naming } = server(named('get_note', 'list_events', 'deleteTask', 'page-read')).coherence
  expect(naming.score).toBeLessThan(4)
  expect(naming.evidence).toEqual([
    'style: 2 of 4 are snake_case; `deleteTask` is not',
    'order: 3 of 4 are verb first; `page-read` is not',
  ])
})

test('tools that cannot be told apart cost disambiguation', () => {
  const twins = ['load_note', 'fetch_note'].map((name) =>
    definition({ name, description: 'Get the text of a note.' }),
  )
  const { disambiguation } = server([...twins, ...named('list_events', 'get_task')]).coherence
  expect(disambiguation).toEqual({
    score: 3,
    evidence: [
      '`load_note` is hard to tell from `fetch_note`',
      '`fetch_note` is hard to tell from `load_note`',
    ],
  })
  expect(server(named('get_note', 'getNotes')).coherence.disambiguation.score).toBe(1)
  expect(server(named(...things.map((thing) => `get_${thing}`))).coherence.disambiguation.score).toBe(5)
})

test('what is made must be seen, and changed or removed', () => {
  expect(server(named('create_note', 'get_note', 'delete_note')).coherence.completeness.score).toBe(5)
  expect(server(named('get_note', 'list_events')).coherence.completeness.score).toBe(5)
  expect(server(named('create_note', 'create_task')).coherence.completeness).toEqual({
    score: 1,
    evidence: [
      '`note` can be made, but not looked at',
      '`note` can be made, but neither changed nor removed',
      '`task` can be made, but not looked at',
      '`task` can be made, but neither changed nor removed',
    ],
  })
})

test('a tool that lies holds the grade of its server at C, whatever the number is', () => {
  const review = reviewTools([seedTimeout])
  expect(review.tools[0]).toMatchObject({ grade: 'C' })
  expect(review.server!.score).toBeGreaterThan(3.5)
  expect(review.server!.grade).toBe('C')
})
