import { createRuntime } from '@curfew/core'
import { defineToolFrom } from '@curfew/core/internal'
import { expect, test } from 'vitest'

const secret = 'canary-of-an-adapter'

function setUp(execute: () => unknown) {
  const runtime = createRuntime({ approval: 'allow', log: () => {} })
  const tool = defineToolFrom(
    { name: 'x', description: 'Do it.', execute },
    { adapter: 'mcp-http', textOf: (value) => `text: ${(value as { text: string }).text}` },
  )
  runtime.register(tool as never)
  return runtime
}

test('textOf formats the content and leaves the value unchanged', async () => {
  const value = { text: 'hello', more: [1, 2] }
  const [result] = await setUp(() => value).execute([{ id: 'a', name: 'x' }])
  expect(result).toMatchObject({ status: 'success', content: 'text: hello' })
  expect((result as { value: unknown }).value).toBe(value)
})

test('redacts a secret that an adapter registered', async () => {
  const runtime = setUp(() => ({ text: `the key is ${secret}` }))
  runtime.hideSecret('KEY', secret)
  const [result] = await runtime.execute([{ id: 'a', name: 'x' }])
  expect(result).toMatchObject({ content: 'text: the key is [secret KEY]' })
  expect(JSON.stringify(result)).not.toContain(secret)
})

test('an error in textOf fails only the call', async () => {
  const [result] = await setUp(() => null).execute([{ id: 'a', name: 'x' }])
  expect(result).toMatchObject({ status: 'error' })
})
