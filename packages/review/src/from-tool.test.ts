import { timeoutTool } from '@curfew/core'
import { expect, test } from 'vitest'
import { fromTool } from './from-tool.ts'

test('a Curfew tool has the hints that an agent would see', () => {
  const tool = fromTool(timeoutTool)
  expect(tool).toMatchObject({
    name: 'timeout',
    annotations: { readOnlyHint: false, destructiveHint: true },
    curfew: { adapter: 'builtin', readOnly: false },
  })
  expect(tool.usage).not.toBe('')
  expect(tool.inputSchema.properties).toBeDefined()
})
