import { type Answer, defineTool, storeSecretTool } from '@curfew/core'
import { expect, test } from 'vitest'
import { canary } from './support/secret-folder.ts'
import { call, service, setUp } from './support/secret-runtime.ts'

const turn = { turn: 'one' }
const ask = (runtime: Awaited<ReturnType<typeof setUp>>['runtime'], params: object, id: string) =>
  runtime.execute([{ id, name: 'store_secret', params }], turn)

test.each([
  ['the tool that lacks it', { key: 'SERVICE_KEY', tool: 'service' }],
  ['no tool', { key: 'SERVICE_KEY' }],
  ['another tool', { key: 'SERVICE_KEY', tool: 'other' }],
])('store_secret with %s shares the two prompts of a failing tool', async (_, params) => {
  const { runtime, questions } = await setUp(() => ({ secret: 'wrong-key' }))
  runtime.register(storeSecretTool, service(canary), service(canary, { name: 'other' }))
  await call(runtime, 'service', '1', turn)
  expect(questions).toHaveLength(2)
  expect(await ask(runtime, params, '2')).toMatchObject([{ code: 'CREDENTIAL_REQUIRED' }])
  await call(runtime, 'service', '3', turn)
  expect(questions).toHaveLength(2)
  await runtime.close()
})

test('a failing tool shares the prompts of store_secret, whichever tool that names', async () => {
  const { runtime, questions } = await setUp(({ kind }) =>
    kind === 'secret' ? { secret: 'wrong-key' } : 'no',
  )
  runtime.register(storeSecretTool, service(canary))
  await ask(runtime, { key: 'SERVICE_KEY' }, '1')
  await ask(runtime, { key: 'SERVICE_KEY', tool: 'service' }, '2')
  expect(await call(runtime, 'service', '3', turn)).toMatchObject([{ code: 'CREDENTIAL_REQUIRED' }])
  expect(questions).toHaveLength(2)
  await call(runtime, 'service', '4', { turn: 'two' })
  expect(questions).toHaveLength(4)
  await runtime.close()
})

test('store_secret prompts at most twice per turn for keys that no tool declares', async () => {
  const { runtime, questions } = await setUp(() => ({ secret: canary }))
  runtime.register(storeSecretTool)
  const results = []
  for (const key of ['A_KEY', 'B_KEY', 'C_KEY', 'D_KEY']) results.push(...(await ask(runtime, { key }, key)))
  expect(results.map(({ status }) => status)).toEqual(['success', 'success', 'error', 'error'])
  expect(results[2]!.content).toContain('asked for secrets that no tool declares 2 times')
  expect(questions).toHaveLength(2)
  await runtime.close()
})

test('store_secret without a tool binds the key to the tool that declares it, and says so in the prompt', async () => {
  const { runtime, questions, store } = await setUp(() => ({ secret: canary }))
  runtime.register(storeSecretTool, service(canary))
  await ask(runtime, { key: 'SERVICE_KEY' }, '1')
  expect(questions[0]!.message).toBe(
    'the model requested the secret SERVICE_KEY. Enter SERVICE_KEY for your tool service:',
  )
  expect(await store.get('SERVICE_KEY')).toMatchObject({ uses: ['tool:service'] })
  await runtime.close()
})

test('the prompt for a key that a person wants to store does not mention the model', async () => {
  let answer: Answer = 'no'
  const { runtime, questions, store } = await setUp(() => answer)
  runtime.register(storeSecretTool, service(canary))
  const typed = (name: string, params: object) =>
    runtime
      .conversation()
      .turn({ origin: 'person' })
      .execute([{ id: '1', name, params }])
  const key = 'SERVICE_KEY'
  const [declined] = await typed('store_secret', { key })
  expect(declined).toMatchObject({
    code: 'CREDENTIAL_REQUIRED',
    message: 'the secret SERVICE_KEY was requested, and the person did not enter it; do not retry',
  })
  await typed('service', {})
  answer = { secret: canary }
  await typed('store_secret', { key })
  expect(questions.map(({ message }) => message)).toEqual([
    'Enter SERVICE_KEY for your tool service:',
    'service requires the secret SERVICE_KEY. Enter SERVICE_KEY for your tool service:',
    'Enter SERVICE_KEY for your tool service:',
  ])
  expect(await store.get(key)).toMatchObject({ value: canary })
  await runtime.close()
})

test('store_secret for a key of several tools says that the first one to use it gets it', async () => {
  const { runtime, questions, store } = await setUp(() => ({ secret: canary }))
  runtime.register(storeSecretTool, service(canary), service(canary, { name: 'other' }))
  await ask(runtime, { key: 'SERVICE_KEY' }, '1')
  expect(questions[0]!.message).toContain('Enter SERVICE_KEY for the first tool that uses it:')
  expect(await store.get('SERVICE_KEY')).toMatchObject({ uses: [] })
  await runtime.close()
})

test('two failing tools have two prompts each, even for the same key name', async () => {
  const { runtime, questions, store } = await setUp(({ kind }) =>
    kind === 'secret' ? { secret: 'wrong-key' } : 'always',
  )
  await store.set('SERVICE_KEY', { value: 'wrong', uses: ['tool:service', 'tool:other'] })
  runtime.register(service(canary), service(canary, { name: 'other' }))
  await call(runtime, 'service', '1', turn)
  await call(runtime, 'other', '2', turn)
  const prompts = questions.filter(({ kind }) => kind === 'secret')
  expect(prompts.map(({ tool }) => tool)).toEqual(['service', 'service', 'other', 'other'])
  await runtime.close()
})

test('a tool that needs many keys causes a prompt for each', async () => {
  const { runtime, questions } = await setUp(() => ({ secret: canary }))
  const secrets = ['A', 'B', 'C']
  runtime.register(
    storeSecretTool,
    defineTool({ name: 'many', description: 'Use many keys.', secrets, execute: () => 'fine' }),
  )
  for (const key of secrets) await ask(runtime, { key, tool: 'many' }, key)
  expect(questions).toHaveLength(3)
  await runtime.close()
})
