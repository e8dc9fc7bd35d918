import { expect, test } from 'vitest'
import { type Fields, reviewedTool } from '../../test/reviewed-tool.ts'
import { rules } from './index.ts'

const annotationOverclaim = rules.find(({ id }) => id === 'annotation-overclaim')!

const destructive = { destructiveHint: true }
const messages = (fields: Fields): string[] =>
  annotationOverclaim.check(reviewedTool(fields), []).map(({ message }) => message)

test('reports a search that is marked destructive, with the words that say so', () => {
  expect(
    messages({
      name: 'search_recipes',
      description: 'Search recipes by ingredient.',
      annotations: destructive,
    }),
  ).toEqual([
    'destructiveHint is true, but the tool only reads (name: "search_recipes"; description: "search recipes by ingredient")',
  ])
})

test.each<Fields>([
  { name: 'list_drafts', description: 'List drafts, and delete those that are empty.' },
  { name: 'read_log', description: 'Read a log.', properties: { save_to: { type: 'string' } } },
  { name: 'query_orders', description: 'Query orders with any SQL statement.' },
  { name: 'check_in', description: 'Check in a guest.' },
  { name: 'list_drafts', description: 'Handles drafts.' },
  {
    name: 'list_drafts',
    description: 'List drafts.',
    annotations: { readOnlyHint: true, destructiveHint: true },
  },
  { name: 'list_drafts', description: 'List drafts.', curfew: { destructive: true } },
])('does not report $name: $description', (fields) => {
  expect(messages({ annotations: destructive, ...fields })).toEqual([])
})
