import { reviewTools } from '@curfew/core/review'
import { expect, test } from 'vitest'
import { searchTool } from '../src/gateway/search-tools.ts'

test('search_tools is an A in its full view, without a smell', () => {
  const tool = searchTool(() => [])
  const { name, description, usage, adapter, readOnly, concurrent, idempotent, destructive, openWorld } = tool
  const own = { adapter, readOnly, concurrent, idempotent, destructive, openWorld, timeoutMs: tool.timeoutMs }
  const [review] = reviewTools([
    {
      name,
      title: undefined,
      description,
      usage,
      inputSchema: tool.schema.jsonSchema,
      outputSchema: undefined,
      annotations: undefined,
      own,
      place: undefined,
      suppressions: [],
    },
  ]).tools
  expect(review, JSON.stringify(review, null, 1)).toMatchObject({
    grade: 'A',
    findings: [],
    score: { smells: [] },
  })
})
