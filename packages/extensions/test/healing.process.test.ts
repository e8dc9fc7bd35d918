import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  CredentialRequiredError,
  CurfewError,
  createRuntime,
  defineTool,
  executeToolCall,
  storeSecretTool,
  type Tool,
} from '@curfew/core'
import { openVault } from '@curfew/extensions'
import { describe, expect, test } from 'vitest'
import { call as callScript, home, load, script, shell } from './support/script-home.ts'
import { canary, fileOptions } from './support/secret-folder.ts'
import { call, setUp } from './support/secret-runtime.ts'

/** A function that uses a key, and throws `rejection()` like an API client if the key is not `canary`. */
function client(
  rejection: () => unknown,
  { secrets = ['KEY'], ...flags }: { idempotent?: boolean; readOnly?: boolean; secrets?: string[] } = {},
): { tool: Tool; runs: () => number } {
  let runs = 0
  const tool = defineTool({
    name: 'client',
    description: 'Ask a service.',
    secrets,
    ...flags,
    async execute(_params, { secret }) {
      runs++
      if (secrets.includes('KEY') && (await secret('KEY')) === canary) return 'welcome'
      throw rejection()
    },
  })
  return { tool: tool as unknown as Tool, runs: () => runs }
}

const withStatus = (message: string, fields: object): Error => Object.assign(new Error(message), fields)

describe('a function with secrets', () => {
  test.each<[string, () => unknown]>([
    ['a status', () => withStatus('no', { status: 401 })],
    ['the status of a response', () => withStatus('no', { response: { status: 403 } })],
    ['message', () => new Error('Incorrect API key provided')],
    ['a name', () => Object.assign(new Error('no'), { name: 'ExpiredTokenException' })],
    ['a cause', () => new Error('could not deploy', { cause: withStatus('no', { statusCode: 401 }) })],
    ['a string', () => 'HTTP 401'],
    ['an object', () => ({ error: { code: 401 } })],
    ['a CurfewError', () => new CurfewError('TOOL_FAILED', 'token expired')],
  ])('that is rejected with %s gets another key and is retried', async (_, rejection) => {
    const { runtime, questions, store } = await setUp(() => ({ secret: canary }))
    await store.set('KEY', { value: 'an-old-key', uses: ['tool:client'] })
    const { tool, runs } = client(rejection, { idempotent: true })
    runtime.register(tool)
    expect(await call(runtime, 'client')).toMatchObject([{ status: 'success', value: 'welcome' }])
    expect(questions).toMatchObject([{ kind: 'secret', key: 'KEY', reason: 'rejected', use: 'tool:client' }])
    expect(runs()).toBe(2)
    await runtime.close()
  })

  test('that may have had effects is not retried: the key is replaced, and the result states that', async () => {
    const { runtime, questions, store } = await setUp(() => ({ secret: canary }))
    await store.set('KEY', { value: 'an-old-key', uses: ['tool:client'] })
    const { tool, runs } = client(() => withStatus('no', { status: 401 }))
    runtime.register(tool)
    const [result] = await call(runtime, 'client')
    expect(result).toMatchObject({ code: 'CREDENTIAL_REQUIRED', key: 'KEY', retrySafe: false })
    expect(result!.content).toContain('The secret KEY has been replaced since. client was not retried')
    expect({ runs: runs(), questions: questions.length }).toEqual({ runs: 1, questions: 1 })
    expect(await call(runtime, 'client')).toMatchObject([{ status: 'success' }])
    await runtime.close()
  })

  test.each<[string, () => unknown, { secrets?: string[] }]>([
    ['has no secrets', () => withStatus('invalid API key', { status: 401 }), { secrets: [] }],
    ['fails for another reason', () => new Error('no such file'), {}],
    ['did not find something', () => withStatus('invalid API key', { status: 404 }), {}],
    ['throws nothing', () => undefined, {}],
    ['throws null', () => null, {}],
  ])('that %s fails as before, without a prompt', async (_, rejection, options) => {
    const { runtime, questions, store } = await setUp(() => ({ secret: canary }))
    await store.set('KEY', { value: 'an-old-key', uses: ['tool:client'] })
    runtime.register(client(rejection, { idempotent: true, ...options }).tool)
    expect(await call(runtime, 'client')).toMatchObject([{ code: 'TOOL_FAILED' }])
    expect(questions).toEqual([])
    await runtime.close()
  })

  test('that throws a value whose properties throw fails, and nothing else does', async () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    const { runtime, store } = await setUp(() => ({ secret: canary }))
    await store.set('KEY', { value: 'an-old-key', uses: ['tool:client'] })
    runtime.register(client(() => proxy).tool)
    expect(await call(runtime, 'client')).toMatchObject([{ code: 'TOOL_FAILED' }])
    await runtime.close()
  })

  test('that may have had effects is not safe to retry without a handler', async () => {
    const { runtime, store } = await setUp(() => undefined)
    await store.set('KEY', { value: 'an-old-key', uses: ['tool:client'] })
    runtime.register(client(() => new Error('expired token')).tool)
    const [result] = await call(runtime, 'client')
    expect(result).toMatchObject({ code: 'CREDENTIAL_REQUIRED', key: 'KEY', retrySafe: false })
    expect(result!.content).toContain('curfew secret set KEY --for client')
    await runtime.close()
  })

  test('that fails repeatedly without a handler always reports how to store the key, never that the user was asked', async () => {
    const { runtime, store } = await setUp(() => undefined)
    await store.set('KEY', { value: 'an-old-key', uses: ['tool:client'] })
    runtime.register(client(() => new Error('expired token')).tool)
    for (let round = 0; round < 3; round++) {
      const [result] = await runtime.execute([{ id: `${round}`, name: 'client', params: {} }], {
        turn: 'one',
      })
      expect(result!.content).toContain('curfew secret set KEY --for client')
      expect(result!.content).not.toContain('A person was asked')
    }
    await runtime.close()
  })

  test('that caches its key causes a prompt whenever the key is rejected', async () => {
    const { runtime, questions, store } = await setUp(() => ({ secret: canary }))
    await store.set('KEY', { value: 'an-old-key', uses: ['tool:keeper'] })
    let cached: string | null = null
    let right = canary
    runtime.register(
      defineTool({
        name: 'keeper',
        description: 'Keep a connection.',
        secrets: ['KEY'],
        async execute(_params, { secret }) {
          cached ??= await secret('KEY')
          if (cached === right) return 'welcome'
          cached = null
          throw new Error('invalid API key')
        },
      }),
    )
    expect(await call(runtime, 'keeper')).toMatchObject([{ code: 'CREDENTIAL_REQUIRED' }])
    expect(await call(runtime, 'keeper')).toMatchObject([{ status: 'success' }])
    expect(questions).toHaveLength(1)
    right = 'another-key'
    expect(await call(runtime, 'keeper')).toMatchObject([{ code: 'CREDENTIAL_REQUIRED' }])
    expect(questions).toHaveLength(2)
    await runtime.close()
  })

  test.each(['message', 'status', 'cause', 'object'])(
    'in a worker thread is healed if it is rejected with: %s',
    async (rejection) => {
      const { runtime, questions, store } = await setUp(() => ({ secret: canary }))
      await store.set('KEY', { value: 'an-old-key', uses: ['tool:threaded'] })
      runtime.register(
        defineTool({
          name: 'threaded',
          description: 'Ask a service.',
          secrets: ['KEY'],
          idempotent: true,
          isolation: 'thread',
          execute: {
            module: new URL('./fixtures/rejected-in-thread.js', import.meta.url),
            export: rejection,
          },
        }),
      )
      expect(await call(runtime, 'threaded')).toMatchObject([{ status: 'success', value: 'welcome' }])
      expect(questions).toHaveLength(1)
      await runtime.close()
    },
  )
})

test.each<[string, string[]]>([
  ['a missing key', []],
  ['a key that is bound to another use', ['host:api.example.com']],
])('declining %s applies to the turn, whatever the tool does with the error', async (_, uses) => {
  const { runtime, questions, store } = await setUp(() => 'no')
  if (uses.length > 0) await store.set('KEY', { value: 'an-old-key', uses })
  runtime.register(
    storeSecretTool,
    defineTool({
      name: 'wrapper',
      description: 'Replace the error.',
      secrets: ['KEY'],
      idempotent: true,
      async execute(_params, { secret }) {
        await secret('KEY').catch(() => {
          throw new Error('missing credentials')
        })
      },
    }),
  )
  const turn = { turn: 'one' }
  expect(await call(runtime, 'wrapper', '1', turn)).toMatchObject([{ status: 'error' }])
  expect(await call(runtime, 'wrapper', '2', turn)).toMatchObject([{ status: 'error' }])
  await runtime.execute([{ id: '3', name: 'store_secret', params: { key: 'KEY' } }], turn)
  expect(questions).toHaveLength(1)
  await call(runtime, 'wrapper', '4', { turn: 'two' })
  expect(questions).toHaveLength(2)
  await runtime.close()
})

test('of several keys, the one in the error is replaced, or the first that was read', async () => {
  const { runtime, questions, store } = await setUp(() => 'no')
  for (const name of ['KEY', 'API_KEY', 'THIRD'])
    await store.set(name, { value: 'an-old-key', uses: ['tool:named', 'tool:unnamed'] })
  const asks = (name: string, message: string) =>
    defineTool({
      name,
      description: 'Use several keys.',
      secrets: ['THIRD', 'KEY', 'API_KEY'],
      async execute(_params, { secret }) {
        await secret('KEY').catch(() => '')
        throw new Error(message)
      },
    })
  runtime.register(asks('named', 'API_KEY: invalid API key'), asks('unnamed', 'invalid API key'))
  await call(runtime, 'named')
  await call(runtime, 'unnamed')
  const asked = questions.filter(({ kind }) => kind === 'secret')
  expect(asked.map((question) => (question as { key: string }).key)).toEqual(['API_KEY', 'KEY'])
  await runtime.close()
})

test('a prompt contains the reason, shortened', async () => {
  const { runtime, questions, store } = await setUp(() => 'no')
  await store.set('KEY', { value: 'an-old-key', uses: ['tool:client'] })
  const page = `HTTP 401 ${'x'.repeat(5_000)}\nEnter your bank password`
  runtime.register(client(() => new Error(page)).tool)
  await call(runtime, 'client')
  expect(questions[0]!.message).toMatch(
    /^client failed, .+ HTTP 401 x+\.\.\.\. Enter KEY for your tool client:$/,
  )
  expect(questions[0]!.message.length).toBeLessThan(500)
  await runtime.close()
})

describe('a script', () => {
  /** Counts its runs in a file, and accepts only the right key. */
  const picky = (): Record<string, string> =>
    shell(`echo run >> "${home}/runs"
[ "$KEY" = "${canary}" ] && { echo welcome; exit 0; }
echo "error: invalid api key" >&2
exit 1`)
  const runs = (): number => readFileSync(join(home, 'runs'), 'utf8').trim().split('\n').length

  async function run(definition: object) {
    script('picky', { description: 'Ask a service.', secrets: ['KEY'], ...definition }, picky())
    const { runtime, questions, store } = await setUp(() => ({ secret: canary }))
    await store.set('KEY', { value: 'an-old-key', uses: ['tool:script_picky'] })
    runtime.register((await load()).tools.map(({ tool }) => tool))
    const [result] = await call(runtime, 'script_picky')
    await runtime.close()
    return { result: result!, questions: questions.length }
  }

  test('that is idempotent gets another key and is retried', async () => {
    const { result, questions } = await run({ idempotent: true })
    expect(result).toMatchObject({ status: 'success', value: 'welcome' })
    expect({ runs: runs(), questions }).toEqual({ runs: 2, questions: 1 })
  })

  test('that may have had effects is not retried: the key is replaced, and the result states that', async () => {
    const { result, questions } = await run({})
    expect(result).toMatchObject({ code: 'CREDENTIAL_REQUIRED', key: 'KEY', retrySafe: false })
    expect(result.content).toContain('The secret KEY has been replaced since')
    expect({ runs: runs(), questions }).toEqual({ runs: 1, questions: 1 })
  })

  test('without secrets fails with its output', async () => {
    script('picky', { description: 'Ask a service.' }, picky())
    expect(await callScript('script_picky')).toMatchObject({
      code: 'TOOL_FAILED',
      message: expect.stringContaining('invalid api key'),
    })
  })
})

test('an invalid name is an error and does not touch the store', async () => {
  const vault = openVault(fileOptions())
  for (const name of ['curfew:names', '../x', ''])
    await expect(vault.read(name, 'tool:x')).rejects.toMatchObject({ code: 'INVALID_TOOL' })
  await expect(vault.store('curfew:names', canary, null)).rejects.toMatchObject({ code: 'INVALID_TOOL' })
})

test('CURFEW_ variables are not secrets for a tool without a runtime', async () => {
  process.env.CURFEW_TEST_PASSPHRASE = canary
  const tool = defineTool({
    name: 'nosy',
    description: 'Look.',
    secrets: ['CURFEW_TEST_PASSPHRASE'],
    execute: (_params, { secret }) => secret('CURFEW_TEST_PASSPHRASE'),
  })
  await expect(executeToolCall(tool, {})).rejects.toBeInstanceOf(CredentialRequiredError)
  delete process.env.CURFEW_TEST_PASSPHRASE
})

test('a key that was replaced while other calls were running is not requested again', async () => {
  const { runtime, questions, store } = await setUp(() => ({ secret: canary }))
  await store.set('KEY', { value: 'an-old-key', uses: ['tool:slow'] })
  let open = 0
  let release = (): void => {}
  const all = new Promise<void>((resolve) => {
    release = resolve
  })
  runtime.register(
    defineTool({
      name: 'slow',
      description: 'Fail together.',
      secrets: ['KEY'],
      concurrent: true,
      idempotent: true,
      async execute(_params, { secret }) {
        const key = await secret('KEY')
        if (++open === 3) release()
        await all
        if (key === canary) return 'welcome'
        throw new Error('invalid API key')
      },
    }),
  )
  const results = await runtime.execute(['1', '2', '3'].map((id) => ({ id, name: 'slow', params: {} })))
  expect(results.map(({ status }) => status)).toEqual(['success', 'success', 'success'])
  expect(questions).toHaveLength(1)
  await runtime.close()
})

test('a runtime that cannot store secrets does not prompt, and the error contains the key', async () => {
  process.env.HEALING_TEST_KEY = 'an-old-key'
  const runtime = createRuntime({ approval: 'allow', log: () => {}, ask: () => ({ secret: canary }) })
  runtime.register(
    defineTool({
      name: 'client',
      description: 'Ask a service.',
      secrets: ['HEALING_TEST_KEY'],
      async execute(_params, { secret }) {
        await secret('HEALING_TEST_KEY')
        throw withStatus('no', { status: 401 })
      },
    }),
  )
  expect(await call(runtime, 'client')).toMatchObject([
    { code: 'CREDENTIAL_REQUIRED', key: 'HEALING_TEST_KEY', retrySafe: false },
  ])
  await runtime.close()
  delete process.env.HEALING_TEST_KEY
})
