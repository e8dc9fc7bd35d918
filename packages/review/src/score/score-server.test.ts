import { expect, test } from 'vitest'
import { publishedTimeout } from '../../test/published-timeout.ts'
import { reviewedTool } from '../../test/reviewed-tool.ts'
import { reviewTools } from '../review-tools.ts'
import type { DimensionScore, ReviewedTool, ServerReview } from '../review-types.ts'

const nouns = 'note event task file page user team board card label'.split(' ')
const named = (...names: string[]): ReviewedTool[] =>
  names.map((name) => reviewedTool({ name, description: `Do what ${name} says, in its own way.` }))
const server = (tools: readonly ReviewedTool[]): ServerReview => reviewTools(tools).server!
const reasonsOf = ({ evidence }: DimensionScore): string[] => evidence.map(({ reason }) => reason)
const many = (count: number): ReviewedTool[] =>
  named(...Array.from({ length: count }, (_, index) => `get_${index}th`))

test('a list without tools has no server score', () => {
  expect(reviewTools([])).toEqual({ tools: [], server: null })
})

test('combines 0.6 of the mean and 0.4 of the minimum, for the definitions and for coherence', () => {
  const tools = [
    reviewedTool({ name: 'silent' }),
    reviewedTool({ name: 'now', description: 'Tell the time of this machine.' }),
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
  const parts = [disambiguation.score, naming.score, toolCount.score, completeness.score]
  const meanPart = parts.reduce((sum, part) => sum + part, 0) / 4
  expect(coherence.score).toBeCloseTo(0.6 * meanPart + 0.4 * Math.min(...parts), 2)
  expect(review.server!.score).toBeCloseTo(0.7 * score.score + 0.3 * coherence.score, 1)
})

test.each([
  [1, 2],
  [2, 3],
  [3, 5],
  [15, 5],
  [16, 4.8],
  [25, 3],
  [46, 1.8],
  [60, 1],
  [200, 1],
])('%i tools: %d of 5', (count, score) => {
  expect(server(many(count)).coherence.toolCount.score).toBe(score)
})

test('names with one style and one order score 5', () => {
  const { naming } = server(named('get_note', 'list_events', 'sleep')).coherence
  expect(naming.score).toBe(5)
  expect(reasonsOf(naming)).toEqual(['style: 2 of 2 are snake_case', 'order: 2 of 2 are verb first'])
})

test('the evidence names an exception to the style', () => {
  const { naming } = server(named('get_note', 'list_events', 'deleteTask', 'page-read')).coherence
  expect(naming.score).toBeLessThan(4)
  expect(reasonsOf(naming)).toEqual([
    'style: 2 of 4 are snake_case; `deleteTask` is not',
    'order: 3 of 4 are verb first; `page-read` is not',
  ])
})

test('tools that read alike lower disambiguation', () => {
  const twins = ['load_note', 'fetch_note'].map((name) =>
    reviewedTool({ name, description: 'Get the text of a note.' }),
  )
  const { disambiguation } = server([...twins, ...named('list_events', 'get_task')]).coherence
  expect(disambiguation.score).toBe(2)
  expect(reasonsOf(disambiguation)).toEqual(['`load_note` is hard to tell from `fetch_note`'])
  expect(server(named('get_note', 'getNotes')).coherence.disambiguation.score).toBe(1)
  expect(server(named(...nouns.map((noun) => `get_${noun}`))).coherence.disambiguation.score).toBe(5)
})

test('a verb with the same meaning does not distinguish a name, and a generic name could do anything', () => {
  const { disambiguation, naming } = server(
    named('fetch_user', 'user_get', 'list_events', 'process'),
  ).coherence
  expect(reasonsOf(disambiguation)).toEqual([
    '`user_get` is hard to tell from `fetch_user`',
    '`process` could do anything',
  ])
  expect(disambiguation.score).toBe(1)
  expect(reasonsOf(naming)).toContain('1 of 4 are generic, such as `process`')
  expect(naming.score).toBe(3)
})

test("the server's name in front of the tools' names is ignored", () => {
  const { naming, disambiguation } = server(
    named('browser_click', 'browser_close', 'browser_take_screenshot', 'browser_type_text'),
  ).coherence
  expect(naming.score).toBe(5)
  expect(disambiguation.score).toBe(5)
})

test('resources that can be created must be readable, changeable and removable', () => {
  const completenessOf = (...names: string[]): DimensionScore =>
    server(named(...names)).coherence.completeness
  expect(completenessOf('create_note', 'get_note', 'edit_note', 'delete_note').score).toBe(5)
  expect(completenessOf('create_note', 'get_note', 'delete_note').score).toBe(4)
  expect(completenessOf('create_note', 'get_note').score).toBe(3)
  expect(completenessOf('get_note', 'list_events').score).toBe(4)
  const completeness = completenessOf('create_note', 'create_task')
  expect(completeness.score).toBe(1)
  expect(reasonsOf(completeness)).toEqual([
    '`note` can be created but not read or changed or removed',
    '`task` can be created but not read or changed or removed',
  ])
})

test('a contradiction caps the grade of the server at C, whatever its score', () => {
  const review = reviewTools([publishedTimeout])
  expect(review.tools[0]).toMatchObject({ grade: 'C' })
  expect(review.server!.score).toBeGreaterThan(3.5)
  expect(review.server!.grade).toBe('C')
})
