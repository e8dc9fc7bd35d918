import { createRuntime, defineTool, type Runtime, type ToolContext } from '@curfew/core'
import { afterEach, beforeEach, expect, test } from 'vitest'

let runtime: Runtime
let seen: ToolContext['meta'][]

beforeEach(() => {
  seen = []
  runtime = createRuntime()
  runtime.register(
    defineTool({
      name: 'inner',
      description: 'Record the meta.',
      readOnly: true,
      execute: (_params, { meta }) => {
        seen.push(meta)
      },
    }),
    defineTool({
      name: 'outer',
      description: 'Call the inner tool.',
      readOnly: true,
      execute: async (_params, context) => {
        await context.execute([{ id: 'b', name: 'inner' }])
      },
    }),
  )
})

afterEach(() => runtime.close())

test("a tool gets a copy of its call's meta", async () => {
  const meta = { progressToken: 7, trace: { id: 'a' } }
  const running = runtime.execute([{ id: 'a', name: 'inner', meta }])
  meta.trace.id = 'changed'
  await running
  expect(seen).toEqual([{ progressToken: 7, trace: { id: 'a' } }])
})

test('meta defaults to {} and is not inherited by nested calls', async () => {
  await runtime.execute([{ id: 'a', name: 'outer', meta: { progressToken: 7 } }])
  expect(seen).toEqual([{}])
})
