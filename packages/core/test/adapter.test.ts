import { createRuntime } from '@curfew/core'
import { defineToolFrom } from '@curfew/core/internal'
import { expect, test } from 'vitest'

const secret = 'canary-of-an-adapter'

function setUp(execute: () => unknown) {
  const runtime = createRuntime({ approval: 'allow', log: () => {} })
  const tool = defineToolFrom(
    { name: 'x', description: 'Do it.', execute },
    { adapter: 'mcp-http', textOf: (value) => `said: ${(value as { text: string }).text}` },
  )
  runtime.register(tool as never)
  return runtime
}

test('an adapter says what the model reads of a value; the value stays what it is', async () => {
  const value = { text: 'hello', more: [1, 2] }
  const [result] = await setUp(() => value).execute([{ id: 'a', name: 'x' }])
  expect(result).toMatchObject({ status: 'success', content: 'said: hello' })
  expect((result as { value: unknown }).value).toBe(value)
})

test('a secret that only the adapter knows leaves the runtime nowhere', async () => {
  const runtime = setUp(() => ({ text: `the key is ${secret}` }))
  runtime.hideSecret('KEY', secret)
  const [result] = await runtime.execute([{ id: 'a', name: 'x' }])
  expect(result).toMatchObject({ content: 'said: the key is [secret KEY]' })
  expect(JSON.stringify(result)).not.toContain(secret)
})

test('a text that cannot be made ends the call, not the runtime', async () => {
  const [result] = await setUp(() => null).execute([{ id: 'a', name: 'x' }])
  expect(result).toMatchObject({ status: 'error' })
})
