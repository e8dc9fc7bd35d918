import { CredentialRequiredError, defineTool } from '@curfew/core'
import { environmentVault } from '@curfew/core/internal'
import { openVault } from '@curfew/extensions'
import { describe, expect, test } from 'vitest'
import { canary, fileOptions, openStore } from './support/secret-folder.ts'
import { call, cancelWhileAsked, dump, service, setUp } from './support/secret-runtime.ts'

describe('the call settles once, whatever a tool does with its secret', () => {
  const withSecret = (name: string, execute: (value: string) => unknown) =>
    defineTool({
      name,
      description: 'Use a key.',
      secrets: ['KEY'],
      execute: async (_params, { secret }) => execute(await secret('KEY')),
    })
  const deep = (depth: number): unknown => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`)

  test.each<[string, string, (value: string) => unknown, string]>([
    ['returns something deep', canary, () => deep(50_000), 'INVALID_RESULT'],
    [
      'returns something that throws',
      canary,
      () => ({
        get a() {
          throw new Error(canary)
        },
      }),
      'INVALID_RESULT',
    ],
    ['returns a map', canary, (value) => ({ map: new Map([['k', value]]), text: 'fine' }), ''],
    [
      'returns an object that keeps it',
      canary,
      (value) =>
        new (class {
          #value = value
          toJSON() {
            return { ok: this.#value.length }
          }
        })(),
      '',
    ],
    [
      'throws an error that refers to itself',
      canary,
      (value) => {
        const error = new Error(value)
        throw Object.assign(error, { error })
      },
      'TOOL_FAILED',
    ],
    [
      'throws a long chain',
      'other-secret',
      () => {
        let error = new Error('end')
        for (let i = 0; i < 20_000; i++) error = new Error('x', { cause: error })
        throw error
      },
      'TOOL_FAILED',
    ],
    [
      'has the key "error"',
      'error',
      () => {
        throw new Error('failed')
      },
      'TOOL_FAILED',
    ],
    ['has the key "status"', 'status', () => 'fine', ''],
    [
      'has the key "message"',
      'message',
      () => {
        throw new Error('failed')
      },
      'TOOL_FAILED',
    ],
  ])('%s', async (_name, value, execute, code) => {
    const { runtime, store } = await setUp(() => 'no')
    await store.set('KEY', { value, uses: [] })
    runtime.register(withSecret('user', execute))
    const [result] = await runtime.execute([{ id: 'status-1', name: 'user', params: {} }])
    expect(result).toMatchObject(
      code === '' ? { id: 'status-1', status: 'success' } : { id: 'status-1', status: 'error', code },
    )
    if (value === canary) expect(dump(result)).not.toContain(canary)
    await runtime.close()
  })

  test('a tool that keeps a rejected key causes at most two prompts', async () => {
    const { runtime, questions, store } = await setUp(() => ({ secret: 'another-key' }))
    await store.set('KEY', { value: 'first-key', uses: [] })
    let runs = 0
    runtime.register(
      defineTool({
        name: 'stubborn',
        description: 'Never read it again.',
        secrets: ['KEY'],
        execute() {
          runs++
          throw new CredentialRequiredError('401', { key: 'KEY', reason: 'rejected', retrySafe: true })
        },
      }),
    )
    expect(await call(runtime, 'stubborn')).toMatchObject([{ code: 'CREDENTIAL_REQUIRED' }])
    expect({ runs, questions: questions.length }).toEqual({ runs: 3, questions: 2 })
    await runtime.close()
  })

  test('a tool with three missing keys gets all of them in one turn', async () => {
    const { runtime, questions } = await setUp(({ kind }) => (kind === 'secret' ? { secret: canary } : 'no'))
    runtime.register(
      defineTool({
        name: 'three',
        description: 'Use three keys.',
        secrets: ['A', 'B', 'C'],
        execute: async (_params, { secret }) =>
          [await secret('A'), await secret('B'), await secret('C')].length,
      }),
    )
    expect(await call(runtime, 'three')).toMatchObject([{ status: 'success', value: 3 }])
    expect(questions).toHaveLength(3)
    await runtime.close()
  })

  test('a vault that cannot store anything causes no prompt', async () => {
    const { runtime, questions } = await setUp(() => ({ secret: canary }), { vault: environmentVault({}) })
    runtime.register(service(canary))
    for (let i = 0; i < 3; i++) {
      const calls = [{ id: `${i}`, name: 'service' }]
      // Each time, and never that the user was already asked twice.
      const message = expect.stringContaining('the vault cannot store secrets')
      expect(await runtime.execute(calls, { turn: 'one' })).toMatchObject([
        { code: 'CREDENTIAL_REQUIRED', message },
      ])
    }
    expect(questions).toEqual([])
    await runtime.close()
  })

  test('CURFEW_ variables and inherited properties are not secrets', async () => {
    const vault = environmentVault({ CURFEW_PASSPHRASE: 'master-passphrase' })
    expect(await vault.read('CURFEW_PASSPHRASE', 'tool:x')).toEqual({ kind: 'missing' })
    expect(await vault.read('constructor', 'tool:x')).toEqual({ kind: 'missing' })
  })

  test('a key that was entered for one tool is not given to another', async () => {
    const store = await openStore()
    await store.set('KEY', { value: 'key-of-a', uses: ['host:a'] })
    await openVault(fileOptions()).store('KEY', 'key-of-b', 'host:b')
    expect(await store.get('KEY')).toEqual({ value: 'key-of-b', uses: ['host:b'] })
  })

  test('four calls that need the key of another tool cause one prompt, and declining applies to the turn', async () => {
    const { runtime, questions, store } = await setUp(() => 'no')
    await store.set('SERVICE_KEY', { value: canary, uses: ['host:api.example.com'] })
    runtime.register(service(canary))
    const calls = ['1', '2', '3', '4'].map((id) => ({ id, name: 'service', params: {} }))
    const results = await runtime.execute(calls, { turn: 'one' })
    await call(runtime, 'service', '5', { turn: 'one' })
    expect(results.map((result) => (result as { code?: string }).code)).toEqual(Array(4).fill('DENIED'))
    expect(questions).toHaveLength(1)
    await runtime.close()
  })

  test('a vault that never returns an allowed secret fails the call', async () => {
    const vault = {
      ...environmentVault({}),
      read: async () => ({ kind: 'elsewhere', uses: ['host:a'] }) as const,
    }
    const { runtime } = await setUp(() => 'always', { vault })
    runtime.register(service(canary))
    expect(await call(runtime)).toMatchObject([{ code: 'SECRETS_UNAVAILABLE' }])
    await runtime.close()
  })

  test('cancelling a call withdraws its prompt about a use', async () => {
    await (await openStore()).set('SERVICE_KEY', { value: canary, uses: ['host:api.example.com'] })
    await cancelWhileAsked()
  })
})
