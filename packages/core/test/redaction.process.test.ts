import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { CurfewError, createRuntime, defineTool, type Runtime, type ToolContext } from '@curfew/core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const canary = 'canary-5f3a/+secret'
let folder: string
let runtime: Runtime
/** Everything that left the runtime. */
let emitted: unknown[]

beforeEach(() => {
  process.env.REDACTION_KEY = canary
  folder = mkdtempSync(join(tmpdir(), 'curfew-redaction-'))
  emitted = []
  runtime = createRuntime({
    approval: { default: 'allow', rules: { ask: ['asked'] } },
    log: (entry) => emitted.push(entry),
    ask: (question) => {
      emitted.push(question)
      return question.kind === 'approval' ? 'once' : { text: 'yes' }
    },
    heartbeat: 20,
    spillDirectory: folder,
  })
  runtime.subscribe((delta) => emitted.push(delta))
  runtime.onTransition((transition) => emitted.push(transition))
})

afterEach(async () => {
  await runtime.close()
  rmSync(folder, { recursive: true, force: true })
  delete process.env.REDACTION_KEY
})

/** Runs a tool that has read its secret. */
async function run(execute: (secret: string, context: ToolContext) => unknown) {
  runtime.register(
    defineTool({
      name: 'user',
      description: 'Use a key.',
      secrets: ['REDACTION_KEY'],
      execute: async (_params, context) => execute(await context.secret('REDACTION_KEY'), context),
    }),
  )
  const [result] = await runtime.execute([{ id: 'c', name: 'user' }])
  emitted.push(result, runtime.getSnapshot())
  return result!
}

const everything = (value: unknown): string =>
  inspect(value, { showHidden: true, getters: true, depth: 40, maxStringLength: null, maxArrayLength: null })

function expectNoSecret(): void {
  const text = everything(emitted)
  expect(text).not.toContain(canary)
  expect(text).not.toContain(Buffer.from(canary).toString('base64').slice(0, 20))
}

function expectPlain(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  expect([Object.prototype, Array.prototype]).toContain(Object.getPrototypeOf(value))
  for (const key of Reflect.ownKeys(value)) {
    expect(typeof key).toBe('string')
    if (!Array.isArray(value)) expect(Object.getOwnPropertyDescriptor(value, key)).toHaveProperty('value')
    expectPlain((value as Record<PropertyKey, unknown>)[key])
  }
}

describe('the cause of a failure', () => {
  class SecretHolder {
    readonly #secret: string
    constructor(secret: string) {
      this.#secret = secret
    }
    get secret(): string {
      return this.#secret
    }
    [inspect.custom](): string {
      return 'SecretHolder'
    }
  }
  const withSecret = (secret: string): Record<string, string> => ({ authorization: `Bearer ${secret}` })
  const extended = (extra: (secret: string) => object) => (secret: string) =>
    Object.assign(new Error('failed'), extra(secret))
  test.each<[string, (secret: string) => unknown]>([
    [
      'a Request',
      extended((secret) => ({ request: new Request('http://h/', { headers: withSecret(secret) }) })),
    ],
    ['Headers', extended((secret) => ({ config: { headers: new Headers(withSecret(secret)) } }))],
    ['URLSearchParams', extended((secret) => ({ query: new URLSearchParams({ secret }) }))],
    ['a URL', extended((secret) => ({ url: new URL(`http://h/?k=${secret}`) }))],
    ['a Buffer', extended((secret) => ({ body: Buffer.from(secret) }))],
    ['a Map', extended((secret) => ({ map: new Map([['k', secret]]) }))],
    ['a private field', extended((secret) => ({ keeper: new SecretHolder(secret) }))],
    ['a closure', extended((secret) => ({ get: () => secret }))],
    ['the name', extended((secret) => ({ name: secret }))],
    ['a key', extended((secret) => ({ [secret]: 1 }))],
    [
      'a getter',
      (secret) => Object.defineProperty(new Error('x'), 'key', { enumerable: true, get: () => secret }),
    ],
    [
      'a property that is not enumerable',
      (secret) => Object.defineProperty(new Error('x'), 'key', { value: secret }),
    ],
    ['a symbol', (secret) => Object.assign(new Error('x'), { [Symbol('key')]: secret })],
    ['several errors', (secret) => new AggregateError([new Error(secret)], 'all')],
    [
      'an object that is not an error',
      (secret) => ({ response: { headers: new Headers(withSecret(secret)) }, secret }),
    ],
    ['a proxy', (secret) => new Proxy({ secret }, {})],
    [
      'the end of a long chain',
      (secret) => {
        let error = new Error(secret)
        for (let level = 0; level < 1_000; level++) error = new Error('x', { cause: error })
        return error
      },
    ],
  ])('is plain data without the secret from %s', async (_name, make) => {
    const result = await run((secret) => {
      throw make(secret)
    })
    expect(result).toMatchObject({ status: 'error', code: 'TOOL_FAILED', cause: expect.anything() })
    expectPlain((result as { cause: unknown }).cause)
    expectNoSecret()
  })

  test('contains the properties of the error', async () => {
    const result = await run(() => {
      const cause = Object.assign(new RangeError('inner'), { status: 404, headers: { a: 'b' } })
      throw Object.assign(new TypeError('outer', { cause }), { when: new Date(0), list: [1, 'two', null] })
    })
    expect(result).toMatchObject({
      cause: {
        name: 'TypeError',
        message: 'outer',
        stack: expect.stringContaining('redaction.process.test'),
        when: '1970-01-01T00:00:00.000Z',
        list: [1, 'two', null],
        cause: { name: 'RangeError', message: 'inner', status: 404, headers: { a: 'b' } },
      },
    })
  })

  test('is bounded', async () => {
    let bomb: unknown = { n: 1 }
    for (let level = 0; level < 40; level++) bomb = { a: bomb, b: bomb }
    const result = await run(() => {
      throw bomb
    })
    expect(JSON.stringify(result).length).toBeLessThan(200_000)
  })
})

describe('a secret is redacted', () => {
  test('in the id or name of a nested call', async () => {
    await run(async (secret, { execute }) => {
      const results = await execute([
        { id: `id ${secret}`, name: 'asked', params: { text: secret } },
        { id: 'b', name: `no_${secret}`, params: {} },
      ])
      return results.map(({ status }) => status)
    })
    expectNoSecret()
    expect(everything(emitted)).toContain('id [secret REDACTION_KEY]')
  })

  test('in the question about a nested call with non-enumerable params', async () => {
    runtime.register(
      defineTool({
        name: 'asked',
        description: 'Ask first.',
        parameters: { type: 'object' },
        execute: (_params, { ask }) => ask({ message: 'sure?' }),
      }),
    )
    const result = await run(async (secret, { execute }) => {
      const params = {
        hidden: Object.defineProperty({}, 'key', { value: secret }),
        text: secret,
      }
      return (await execute([{ id: 'n', name: 'asked', params }]))[0]!.status
    })
    expect(result).toMatchObject({ value: 'success' })
    expect(emitted.filter((entry) => (entry as { kind?: string }).kind !== undefined)).toHaveLength(2)
    expectNoSecret()
  })

  test('in the details of an error, which are copied', async () => {
    const details = {
      text: '',
      long: 'x'.repeat(100_000),
      hidden: Object.defineProperty({}, 'key', { value: canary }),
      at: new Date(0),
    }
    const result = await run((secret) => {
      details.text = `it was ${secret}`
      throw new CurfewError('TOOL_FAILED', 'failed', { details })
    })
    expect(result).toMatchObject({
      details: {
        text: 'it was [secret REDACTION_KEY]',
        long: details.long,
        hidden: {},
        at: '1970-01-01T00:00:00.000Z',
      },
    })
    expectNoSecret()
  })

  test('in the name of an unknown tool', async () => {
    await run(() => 1)
    const [result] = await runtime.execute([{ id: 'x', name: `no_${canary}` }])
    emitted.push(result, runtime.getSnapshot())
    expect(result).toMatchObject({ id: 'x', name: 'no_[secret REDACTION_KEY]', code: 'TOOL_NOT_FOUND' })
    expectNoSecret()
  })

  test.each<[string, (secret: string) => unknown]>([
    [
      'a property that is not enumerable',
      (secret) => Object.defineProperty({ a: 1 }, 'key', { value: secret }),
    ],
    ['a property of an array', (secret) => Object.assign([1, 2], { key: secret })],
    ['a symbol', (secret) => ({ a: 1, [Symbol('key')]: secret })],
    [
      'a proxy',
      (secret) =>
        new Proxy({ a: 1 }, { get: (target, key) => (key === 'b' ? secret : Reflect.get(target, key)) }),
    ],
    ['a prototype', (secret) => Object.create({ secret }, { a: { value: 1, enumerable: true } })],
  ])('in %s of a result', async (_name, make) => {
    const result = await run(make)
    expect(result.status).toBe('success')
    const { value } = result as { value: { key?: unknown; b?: unknown; secret?: unknown } }
    expect([value.key, value.b, value.secret]).toEqual([undefined, undefined, undefined])
    expectPlain(value)
    expectNoSecret()
  })

  test('in logs, progress, late output and forged Curfew errors', async () => {
    const result = await run(async (secret, { log, progress, output }) => {
      log(`the key is ${Buffer.from(secret).toString('base64')}`)
      progress({ current: 1, message: secret })
      output(secret.slice(0, 9))
      output(secret.slice(9))
      await new Promise((resolve) => setTimeout(resolve, 60))
      throw new CurfewError('CREDENTIAL_REQUIRED', `no ${secret}`, { field: secret, cause: secret })
    })
    expect(result).toMatchObject({ code: 'CREDENTIAL_REQUIRED', key: '[secret REDACTION_KEY]' })
    expectNoSecret()
  })

  test('in an unknown error code', async () => {
    const result = await run((secret) => {
      throw new CurfewError(secret as never, 'made up')
    })
    expect(result).toMatchObject({ code: 'TOOL_FAILED', message: 'made up' })
    expectNoSecret()
  })

  test('in the spill file of a long result, also if wrapped', async () => {
    const wrapped = (secret: string): string =>
      Buffer.from(`${'x'.repeat(60_000)}${secret.repeat(20)}`)
        .toString('base64')
        .replace(/.{76}/g, '$&\r\n')
    const result = await run((secret) => ({ text: wrapped(secret) }))
    expect(result.status).toBe('success')
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    )
    expect(files).toHaveLength(1)
    const text = readFileSync(join(files[0]!.parentPath, files[0]!.name), 'utf8')
    expect(text).toContain('[secret REDACTION_KEY]')
    expect(Buffer.from(text.replace(/\\r\\n/g, ''), 'base64').toString('latin1')).not.toContain(canary)
  })
})

test('runtime.redact removes secrets from text of the program', () => {
  expect(runtime.redact(`typed ${canary}`)).toContain(canary)
  const reveal = runtime.hideSecret('TYPED', canary)
  expect(runtime.redact(`typed ${canary}`)).not.toContain(canary)
  reveal()
  expect(runtime.redact(`typed ${canary}`)).toContain(canary)
})
