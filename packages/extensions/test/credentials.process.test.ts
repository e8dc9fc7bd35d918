import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Answer,
  type Conversation,
  CredentialRequiredError,
  createRuntime,
  defineTool,
  type QuestionHandler,
  storeSecretTool,
} from '@curfew/core'
import { environmentVault } from '@curfew/core/internal'
import { createFakeClock } from '@curfew/core/testing'
import { describe, expect, test } from 'vitest'
import { canary, folder } from './support/secret-folder.ts'
import { call, cancelWhileAsked, dump, service, setUp } from './support/secret-runtime.ts'

describe('a missing key', () => {
  test('is requested once and stored, and the call continues', async () => {
    const { runtime, questions, store } = await setUp(() => ({ secret: canary }))
    const tool = service(canary)
    runtime.register(tool)
    const [result] = await call(runtime)
    expect(result).toMatchObject({ status: 'success', content: 'welcome, [secret SERVICE_KEY]' })
    expect(questions).toMatchObject([
      { kind: 'secret', key: 'SERVICE_KEY', reason: 'missing', use: 'tool:service' },
    ])
    expect(await store.get('SERVICE_KEY')).toEqual({ value: canary, uses: ['tool:service'] })
    await call(runtime)
    expect(questions).toHaveLength(1)
    expect(tool.runs).toBe(2)
    await runtime.close()
  })

  test('without a handler, there is no prompt and the error contains the command to run', async () => {
    const { runtime } = await setUp(() => undefined)
    runtime.register(service(canary))
    const [result] = await call(runtime)
    expect(result).toMatchObject({
      status: 'error',
      code: 'CREDENTIAL_REQUIRED',
      key: 'SERVICE_KEY',
      retrySafe: true,
    })
    expect(result!.content).toContain('curfew secret set SERVICE_KEY --for service')
    await runtime.close()
  })

  test('fails the call if the user declines', async () => {
    const { runtime, questions } = await setUp(() => 'no')
    runtime.register(service(canary))
    expect(await call(runtime)).toMatchObject([{ code: 'CREDENTIAL_REQUIRED' }])
    expect(questions).toHaveLength(1)
    await runtime.close()
  })
})

describe('a key that calls of two turns wait for', () => {
  const later = () => new Promise((resolve) => setTimeout(resolve, 50))

  test('is requested for the other turn if the user declines in one', async () => {
    let declined: string | null = null
    const { runtime, questions } = await setUp(async ({ callId }) => {
      // Either call may be the first to find that the key is missing.
      declined ??= callId
      await later()
      return callId === declined ? 'no' : { secret: canary }
    })
    runtime.register(service(canary))
    const results = await Promise.all(['1', '2'].map((id) => call(runtime, 'service', id, { turn: id })))
    const byId = new Map(results.flat().map((result) => [result.id, result]))
    expect(byId.get(declined!)).toMatchObject({ code: 'CREDENTIAL_REQUIRED' })
    byId.delete(declined!)
    expect([...byId.values()]).toMatchObject([{ status: 'success' }])
    expect(questions).toHaveLength(2)
    await runtime.close()
  })

  test('is requested again if the call that requested it is cancelled', async () => {
    const { runtime, questions } = await setUp(({ callId }) =>
      callId === '1' ? new Promise<never>(() => {}) : { secret: canary },
    )
    runtime.register(service(canary))
    const stop = new AbortController()
    const first = call(runtime, 'service', '1', { turn: '1', signal: stop.signal })
    await expect.poll(() => questions.length).toBe(1)
    const second = call(runtime, 'service', '2', { turn: '2' })
    await later()
    stop.abort()
    expect(await first).toMatchObject([{ status: 'cancelled' }])
    expect(await second).toMatchObject([{ status: 'success' }])
    await runtime.close()
  })
})

test('a key that calls of two clients wait for is requested from both, and the first answer counts', async () => {
  const { runtime } = await setUp(() => undefined)
  runtime.register(service(canary))
  const withdrawn: string[] = []
  const asked: string[] = []
  const silent: QuestionHandler = async ({ client }, { signal }) => {
    asked.push(client!)
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    withdrawn.push(client!)
    return undefined
  }
  const run = ({ execute }: Conversation) => execute([{ id: '1', name: 'service' }])
  const ada = runtime.conversation({ client: 'ada', ask: silent })
  // Two calls of one client share a question.
  const adas = [run(ada), run(ada)]
  await expect.poll(() => asked).toEqual(['ada'])
  const bob = runtime.conversation({ client: 'bob', ask: () => ({ secret: canary }) })
  expect(await run(bob)).toMatchObject([{ status: 'success' }])
  for (const results of await Promise.all(adas)) expect(results).toMatchObject([{ status: 'success' }])
  expect([asked, withdrawn]).toEqual([['ada'], ['ada']])
  await runtime.close()
})

describe('a rejected key', () => {
  test('is replaced, and the call is retried', async () => {
    const answers = ['wrong-key', canary]
    const { runtime, questions } = await setUp(() => ({ secret: answers.shift()! }))
    const tool = service(canary)
    runtime.register(tool)
    const seen: string[] = []
    runtime.onTransition(({ to }) => seen.push(to))
    expect(await call(runtime)).toMatchObject([{ status: 'success' }])
    expect(questions.map((question) => (question as { reason: string }).reason)).toEqual([
      'missing',
      'rejected',
    ])
    expect(tool.runs).toBe(2)
    expect(seen).toEqual(['validating', 'scheduled', 'executing', 'success'])
    await runtime.close()
  })

  test('causes exactly two prompts, then the error', async () => {
    const { runtime, questions, store } = await setUp(({ kind }) =>
      kind === 'secret' ? { secret: 'still-wrong' } : undefined,
    )
    await store.set('SERVICE_KEY', { value: 'wrong', uses: ['tool:service'] })
    const tool = service(canary)
    runtime.register(tool)
    const [result] = await call(runtime, 'service', '1', { turn: 'one' })
    expect(questions).toHaveLength(2)
    expect(tool.runs).toBe(3)
    expect(result).toMatchObject({ status: 'error', code: 'CREDENTIAL_REQUIRED' })
    expect(result!.content).toContain('asked for SERVICE_KEY 2 times')
    await call(runtime, 'service', '2', { turn: 'one' })
    expect(questions).toHaveLength(2)
    await call(runtime, 'service', '3', { turn: 'two' })
    expect(questions).toHaveLength(4)
    await runtime.close()
  })

  test('causes one prompt for two calls of a batch', async () => {
    const { runtime, questions, store } = await setUp(async () => {
      await new Promise((resolve) => setTimeout(resolve, 50))
      return { secret: canary }
    })
    await store.set('SERVICE_KEY', { value: 'wrong', uses: ['tool:service', 'tool:other'] })
    runtime.register(service(canary))
    const results = await runtime.execute(['1', '2', '3'].map((id) => ({ id, name: 'service', params: {} })))
    expect(results.map(({ status }) => status)).toEqual(['success', 'success', 'success'])
    expect(questions).toHaveLength(1)
    await runtime.close()
  })

  test('does not retry a call that may have had effects', async () => {
    const { runtime, questions, store } = await setUp(() => ({ secret: canary }))
    await store.set('KEY', { value: 'wrong', uses: ['tool:deploy'] })
    let runs = 0
    const tool = (name: string, readOnly: boolean) =>
      defineTool({
        name,
        description: 'Deploy.',
        secrets: ['KEY'],
        readOnly,
        async execute(_params, { secret }) {
          runs++
          if ((await secret('KEY')) === canary) return 'fine'
          throw new CredentialRequiredError('expired token', {
            key: 'KEY',
            reason: 'rejected',
            retrySafe: false,
          })
        },
      })
    runtime.register(tool('deploy', false))
    const [result] = await call(runtime, 'deploy')
    expect(result).toMatchObject({ code: 'CREDENTIAL_REQUIRED' })
    expect(result!.content).toContain('The secret KEY has been replaced since. deploy was not retried')
    expect({ runs, questions: questions.length }).toEqual({ runs: 1, questions: 1 })
    expect(await call(runtime, 'deploy')).toMatchObject([{ status: 'success' }])
    await runtime.close()
  })
})

test('the clock is paused while the user types, and each attempt has a new one', async () => {
  const clock = createFakeClock()
  const runtime = createRuntime({
    approval: 'allow',
    clock,
    log: () => {},
    vault: {
      ...environmentVault({}),
      canStore: true,
      async store(_name, value) {
        stored = value
      },
      read: async () => (stored === null ? { kind: 'missing' } : { kind: 'found', value: stored }),
    },
    ask: () => new Promise((resolve) => clock.setTimer(60_000, () => resolve({ secret: canary }))),
  })
  let stored: string | null = null
  runtime.register(
    defineTool({
      name: 'quick',
      description: 'Be quick.',
      timeout: 1_000,
      secrets: ['KEY'],
      execute: async (_params, { secret }) => `got ${(await secret('KEY')).length}`,
    }),
  )
  const [result] = await clock.runUntil(call(runtime, 'quick'))
  expect(result).toMatchObject({ status: 'success', content: `got ${canary.length}` })
  expect(result!.durationMs).toBeLessThan(1_000)
})

test('cancelling a call withdraws its prompt', cancelWhileAsked)

describe('a secret is bound to its use', () => {
  test.each<[string, Answer, string]>([
    ['yes', 'always', 'success'],
    ['no', 'no', 'error'],
    ['no answer', undefined, 'error'],
  ])('another use requires approval: %s', async (_name, answer, status) => {
    const { runtime, questions, store } = await setUp(() => answer)
    await store.set('SERVICE_KEY', { value: canary, uses: ['host:api.example.com'] })
    runtime.register(service(canary))
    const [result] = await call(runtime)
    expect(result!.status).toBe(status)
    expect(questions).toMatchObject([
      { kind: 'secret-use', use: 'tool:service', uses: ['host:api.example.com'] },
    ])
    if (status === 'error')
      expect(result).toMatchObject({ code: 'DENIED', message: expect.stringContaining('api.example.com') })
    const uses = (await store.get('SERVICE_KEY'))!.uses
    expect(uses).toEqual(
      status === 'success' ? ['host:api.example.com', 'tool:service'] : ['host:api.example.com'],
    )
    await runtime.close()
  })

  test('a secret without a use is bound to the first one', async () => {
    const { runtime, questions, store } = await setUp(() => 'no')
    await store.set('SERVICE_KEY', { value: canary, uses: [] })
    runtime.register(service(canary), service(canary, { name: 'other' }))
    expect(await call(runtime)).toMatchObject([{ status: 'success' }])
    expect(await call(runtime, 'other')).toMatchObject([{ code: 'DENIED' }])
    expect(questions).toHaveLength(1)
    await runtime.close()
  })

  test('a tool gets only the secrets that it declares', async () => {
    const { runtime } = await setUp(() => ({ secret: canary }))
    runtime.register(
      defineTool({
        name: 'nosy',
        description: 'Ask.',
        execute: (_params, { secret }) => secret('SERVICE_KEY'),
      }),
    )
    expect(await call(runtime, 'nosy')).toMatchObject([{ code: 'INVALID_TOOL' }])
    await runtime.close()
  })
})

describe('store_secret', () => {
  test('asks, stores the secret for the tool that needs it, and does not reveal the value', async () => {
    const { runtime, questions, store } = await setUp(() => ({ secret: canary }), { approval: 'ask' })
    runtime.register(storeSecretTool, service(canary, { readOnly: true }))
    const params = { key: 'SERVICE_KEY', tool: 'service' }
    const [result] = await runtime.execute([{ id: '1', name: 'store_secret', params }])
    expect(result).toMatchObject({ status: 'success', value: { stored: 'SERVICE_KEY' } })
    expect(JSON.stringify(result)).not.toContain(canary)
    expect(questions.map(({ kind }) => kind)).toEqual(['secret'])
    expect(await store.get('SERVICE_KEY')).toMatchObject({ uses: ['tool:service'] })
    expect(await call(runtime)).toMatchObject([{ status: 'success' }])
    await runtime.close()
  })

  test('shares the limit of two prompts with healing', async () => {
    const { runtime, questions } = await setUp(() => ({ secret: 'wrong-key' }))
    runtime.register(storeSecretTool, service(canary))
    const params = { key: 'SERVICE_KEY', tool: 'service' }
    await runtime.execute([{ id: '1', name: 'store_secret', params }], { turn: 'one' })
    await call(runtime, 'service', '2', { turn: 'one' })
    expect(questions).toHaveLength(2)
    await runtime.close()
  })

  test.each([
    [{ key: 'a b' }, 'INVALID_PARAMS'],
    [{ key: '' }, 'INVALID_PARAMS'],
    [{ key: 'KEY', tool: 'no_such_tool' }, 'TOOL_NOT_FOUND'],
    [{ key: 'OTHER', tool: 'service' }, 'INVALID_TOOL'],
    [{ key: 'KEY', value: 'x' }, 'INVALID_PARAMS'],
  ])('%j is rejected', async (params, code) => {
    const { runtime, questions } = await setUp(() => ({ secret: canary }))
    runtime.register(storeSecretTool, service(canary))
    expect(await runtime.execute([{ id: '1', name: 'store_secret', params }])).toMatchObject([{ code }])
    expect(questions).toEqual([])
    await runtime.close()
  })
})

test('the value never leaves the runtime', async () => {
  const { runtime, questions, emitted } = await setUp(
    ({ kind }) => (kind === 'secret' ? { secret: canary } : 'always'),
    {
      approval: 'allow',
      maxContentLength: 2_000,
    },
  )
  const encoded = Buffer.from(`user:${canary}`).toString('base64')
  const withKey = (name: string, execute: Parameters<typeof defineTool>[0]['execute']) =>
    defineTool({
      name,
      description: 'Use a key.',
      secrets: ['KEY'],
      parameters: { type: 'object' },
      execute,
    } as never)
  runtime.register(
    withKey('returns', async (_params: unknown, { secret }) => ({
      nested: [{ key: await secret('KEY') }],
      encoded,
    })),
    withKey('prints', async (_params: unknown, { secret, output, progress, log }) => {
      const value = await secret('KEY')
      output(value.slice(0, 5))
      output('something else', 'stderr')
      output(value.slice(5))
      output(Buffer.from(encodeURIComponent(value)))
      progress({ current: 1, message: `with ${value}` })
      log(`logged ${value}`)
      throw new TypeError(`failed with ${value}`, { cause: { value } })
    }),
    withKey(
      'long',
      async (_params: unknown, { secret }) =>
        `${'x'.repeat(3_000)}${await secret('KEY')}${'y'.repeat(3_000)}`,
    ),
    withKey('bytes', async (_params: unknown, { secret }) => Buffer.from(`binary ${await secret('KEY')}`)),
    withKey(
      'nests',
      async (_params: unknown, { execute }) => await execute([{ id: 'inner', name: 'returns', params: {} }]),
    ),
  )
  // A value that is not known to be a secret yet cannot be redacted.
  await call(runtime, 'returns')
  const results = []
  for (const name of ['returns', 'prints', 'long', 'bytes', 'nests']) {
    results.push(...(await runtime.execute([{ id: name, name, params: { mine: canary } }])))
  }
  const snapshot = runtime.getSnapshot()
  await runtime.close()
  const files = readdirSync(join(folder, 'spill'), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, 'spill', name))
    .filter((path) => statSync(path).isFile())
  expect(files.length).toBe(2)
  const everything = [
    ...files.map((path) => readFileSync(path, 'latin1')),
    ...[results, snapshot, emitted, questions].map((value) => dump(value)),
    readFileSync(join(folder, 'secrets.json'), 'latin1'),
  ].join('\n')
  expect(results).toMatchObject([{ status: 'success' }, { status: 'error' }, {}, {}, { status: 'success' }])
  expect(everything).toContain('[secret KEY]')
  for (const form of [
    canary,
    encoded,
    encodeURIComponent(canary),
    Buffer.from(canary).toString('base64').slice(0, 20),
  ])
    expect(everything).not.toContain(form)
})
