import type { Vault } from '@curfew/core'
import { formatUse, type SecretLookup, secretFromEnvironment } from '@curfew/core/internal'
import type { ConfigProblem, ModelEntry, ModelSettings } from '@curfew/extensions'
import { describe, expect, test } from 'vitest'
import { type OpenedModel, openModel } from './open-model.ts'

interface Setup {
  readonly name?: string
  readonly last?: string
  readonly model?: string
  readonly fallbackModel?: string
  readonly entries?: Readonly<Record<string, Omit<ModelEntry, 'source'>>>
  readonly invalid?: Readonly<Record<string, ConfigProblem>>
  readonly env?: Readonly<Record<string, string>>
  /** Stored secrets: the value and its only use. */
  readonly stored?: Readonly<Record<string, { readonly value: string; readonly host: string }>>
}

interface Opened extends OpenedModel {
  /** Keys that were read for a use. */
  readonly keys: readonly string[]
  readonly hidden: readonly (readonly [string, string])[]
}

async function open(setup: Setup = {}): Promise<Opened> {
  const { name, last, env = {}, stored = {}, entries = {} } = setup
  const keys: string[] = []
  const hidden: [string, string][] = []
  const vault: Pick<Vault, 'read'> = {
    async read(key, use): Promise<SecretLookup> {
      const found = stored[key]
      if (found === undefined) {
        const lookup = secretFromEnvironment(env, key)
        if (lookup.kind === 'found') keys.push(`${key} for ${formatUse(use)}`)
        return lookup
      }
      if (use !== `host:${found.host}`) return { kind: 'elsewhere', uses: [`host:${found.host}`] }
      keys.push(`${key} for ${formatUse(use)}`)
      return { kind: 'found', value: found.value, from: 'store' }
    },
  }
  const opened = await openModel({
    name,
    last,
    settings: settings(setup, entries),
    vault,
    env,
    hideSecret: (...secret) => hidden.push(secret),
  })
  return { ...opened, keys, hidden }
}

function settings(
  { model, fallbackModel, invalid = {} }: Setup,
  entries: NonNullable<Setup['entries']>,
): ModelSettings {
  const file = '/home/me/.config/curfew/config.json'
  return {
    model: model === undefined ? null : { name: model, source: 'user', file },
    fallbackModel: fallbackModel === undefined ? null : { name: fallbackModel, source: 'user', file },
    imageModel: null,
    transcriptionModel: null,
    invalid: new Map(Object.entries(invalid)),
    entries: new Map(Object.entries(entries).map(([id, entry]) => [id, { ...entry, source: 'user', file }])),
  }
}

const keyOf = (name: string) => ({ [name]: `${name.toLowerCase()}-0123456789` })

describe('which model', () => {
  test('--model, then the configuration, then the default of a provider whose key exists', async () => {
    const env = keyOf('ANTHROPIC_API_KEY')
    const model = 'anthropic:claude-configured'
    expect((await open({ env, model, name: 'anthropic:claude-typed' })).name).toBe('anthropic:claude-typed')
    expect((await open({ env, model })).name).toBe('anthropic:claude-configured')
    expect((await open({ env })).name).toBe('anthropic:claude-sonnet-5-5')
  })

  test.each([
    ['GEMINI_API_KEY', 'google:gemini-pro-latest'],
    ['GOOGLE_GENERATIVE_AI_API_KEY', 'google:gemini-pro-latest'],
    ['OPENAI_API_KEY', 'openai-compatible:gpt-5.5'],
  ])('%s alone selects %s', async (key, model) => {
    expect((await open({ env: keyOf(key) })).name).toBe(model)
  })

  test('a stored key selects its provider too', async () => {
    const stored = { GEMINI_API_KEY: { value: 'stored-key', host: 'generativelanguage.googleapis.com' } }
    expect((await open({ stored })).name).toBe('google:gemini-pro-latest')
  })

  test('without any of them, the error lists the three ways', async () => {
    const error = await open().catch((error: Error) => error.message)
    expect(error).toBe(
      [
        'no model is configured. There are three ways:',
        '  for one run:   curfew -p "..." --model openai-compatible:qwen3@http://127.0.0.1:8080/v1',
        '  for all runs:  curfew config set model=google:gemini-pro-latest',
        '  with a key:    export ANTHROPIC_API_KEY=...   (uses anthropic:claude-sonnet-5-5)',
      ].join('\n'),
    )
  })

  test('the key of another server with the protocol of OpenAI selects no model', async () => {
    const env = { ...keyOf('OPENAI_API_KEY'), OPENAI_BASE_URL: 'https://models.example/v1' }
    await expect(open({ env })).rejects.toThrow('no model is configured')
  })

  test.each([
    ['openai-compatible:qwen3:4b@http://127.0.0.1:8080/v1', 'qwen3:4b'],
    ['openai-compatible:a@b@https://models.example/v1/', 'a@b'],
    ['openai-compatible:@cf/meta/llama@https://models.example', '@cf/meta/llama'],
  ])('%s has the name %s', async (name, modelId) => {
    const { model, name: id } = await open({ name })
    expect([model.modelId, id]).toEqual([modelId, `openai-compatible:${modelId}`])
  })

  test.each([
    ['gpt-5', '--model: expected provider:name[@base-url]'],
    ['openai:gpt-5', '--model: unknown provider "openai"'],
    ['google:', '--model: expected the name of a model'],
    ['google:x@http://', '--model: expected a base URL'],
    ['google:x@http://me:password@models.example', 'must not contain a user name or password'],
  ])('--model %s is rejected', async (name, message) => {
    const error = await open({ name }).catch((error: Error) => error.message)
    expect(error).toContain(message)
    expect(error).not.toContain('me:password')
  })
})

describe('a setting that cannot be read is not replaced by a default', () => {
  const env = { ...keyOf('ANTHROPIC_API_KEY'), ...keyOf('OPENAI_API_KEY') }
  const problem = { severity: 'error', file: 'config.json', field: null, message: 'is not JSON' } as const
  const message = 'config.json: is not JSON'

  test('the model', async () => {
    await expect(open({ env, invalid: { model: problem } })).rejects.toThrow(message)
    expect((await open({ env, invalid: { model: problem }, name: 'anthropic:x' })).name).toBe('anthropic:x')
  })

  test.each(['models', 'models.openai-compatible:x'])('%s, which may contain its server', async (field) => {
    const invalid = { [field]: problem }
    await expect(open({ env, invalid, name: 'openai-compatible:x' })).rejects.toThrow(message)
    const name = 'openai-compatible:x@http://127.0.0.1:8080/v1'
    expect((await open({ env, invalid, name })).name).toBe('openai-compatible:x')
  })
})

describe('which key', () => {
  test.each([
    ['anthropic:x', 'ANTHROPIC_API_KEY for api.anthropic.com'],
    ['google:x', 'GEMINI_API_KEY for generativelanguage.googleapis.com'],
    ['openai-compatible:x', 'OPENAI_API_KEY for api.openai.com'],
    ['openai-compatible:x@https://api.openai.com/v1', 'OPENAI_API_KEY for api.openai.com'],
    // The person chose the server.
    ['anthropic:x@https://models.example/v1', 'ANTHROPIC_API_KEY for models.example'],
  ])('%s gets %s, which is redacted', async (name, expected) => {
    const env = { ...keyOf('ANTHROPIC_API_KEY'), ...keyOf('GEMINI_API_KEY'), ...keyOf('OPENAI_API_KEY') }
    const { keys, hidden } = await open({ name, env })
    expect(keys).toEqual([expected])
    const [key] = expected.split(' ') as [string]
    expect(hidden).toEqual([[key, env[key as keyof typeof env]]])
  })

  test('another server with the protocol of OpenAI gets no key, unless one is named for it', async () => {
    const name = 'openai-compatible:x@https://models.example/v1'
    const env = { ...keyOf('OPENAI_API_KEY'), ...keyOf('EXAMPLE_KEY') }
    expect((await open({ name, env })).keys).toEqual([])
    const entries = { 'openai-compatible:x': { key: 'EXAMPLE_KEY' } }
    expect((await open({ name, env, entries })).keys).toEqual(['EXAMPLE_KEY for models.example'])
  })

  test('OPENAI_BASE_URL and OPENAI_API_KEY belong together', async () => {
    const env = { ...keyOf('OPENAI_API_KEY'), OPENAI_BASE_URL: 'https://models.example/v1' }
    expect((await open({ name: 'openai-compatible:x', env })).keys).toEqual([
      'OPENAI_API_KEY for models.example',
    ])
  })

  test('a key that is named for a base URL is not sent to another one', async () => {
    const env = keyOf('EXAMPLE_KEY')
    const entries = { 'openai-compatible:x': { key: 'EXAMPLE_KEY', baseUrl: 'https://models.example/v1' } }
    expect((await open({ name: 'openai-compatible:x', env, entries })).keys).toEqual([
      'EXAMPLE_KEY for models.example',
    ])
    const other = await open({ name: 'openai-compatible:x@https://other.example/v1', env, entries })
    expect(other.keys).toEqual([])
    expect(other.warnings).toEqual([
      'openai-compatible:x: EXAMPLE_KEY is not sent, because it belongs to https://models.example/v1',
    ])
  })

  test('a key that is named without a base URL is not sent to OpenAI', async () => {
    const env = { ...keyOf('EXAMPLE_KEY'), ...keyOf('OPENAI_API_KEY') }
    const entries = { 'openai-compatible:x': { key: 'EXAMPLE_KEY' } }
    const { keys, warnings } = await open({ name: 'openai-compatible:x', env, entries })
    expect(keys).toEqual(['OPENAI_API_KEY for api.openai.com'])
    expect(warnings).toEqual([
      'openai-compatible:x: EXAMPLE_KEY is not sent, because its server is not known; set models.openai-compatible:x.baseUrl',
    ])
  })

  test('a stored key is not sent to another host', async () => {
    const stored = { ANTHROPIC_API_KEY: { value: 'stored-key', host: 'api.anthropic.com' } }
    const { keys, warnings } = await open({ name: 'anthropic:x@http://127.0.0.1:8080/v1', stored })
    expect(keys).toEqual([])
    expect(warnings).toEqual([
      'anthropic:x: ANTHROPIC_API_KEY is stored for api.anthropic.com, not for 127.0.0.1:8080, so no key is sent; to store one, run: curfew secret set ANTHROPIC_API_KEY --for 127.0.0.1:8080',
    ])
  })

  test.each([
    [
      { name: 'google:x' },
      'google:x: there is no key for generativelanguage.googleapis.com; run: curfew secret set GEMINI_API_KEY --for generativelanguage.googleapis.com (or set the variable GEMINI_API_KEY or GOOGLE_GENERATIVE_AI_API_KEY)',
    ],
    [
      { name: 'anthropic:x', stored: { ANTHROPIC_API_KEY: { value: 'key-of-another', host: 'a.example' } } },
      'anthropic:x: ANTHROPIC_API_KEY is stored for a.example, not for api.anthropic.com; to store a key for it, run: curfew secret set ANTHROPIC_API_KEY --for api.anthropic.com',
    ],
  ] satisfies [Setup, string][])('a missing key is an error with the command: %j', async (setup, message) => {
    await expect(open(setup)).rejects.toMatchObject({ code: 'CREDENTIAL_REQUIRED', message })
  })

  test('a key that no header can contain is rejected without showing it', async () => {
    const error = await open({ name: 'anthropic:x', env: { ANTHROPIC_API_KEY: 'top\nsecret' } }).catch(
      (error: Error) => error.message,
    )
    expect(error).toContain('ANTHROPIC_API_KEY: expected a key of printable ASCII characters')
    expect(error).not.toContain("secret'")
    expect(error).not.toContain('top')
  })
})

describe('base URLs without TLS', () => {
  test('are allowed for this machine', async () => {
    expect((await open({ name: 'openai-compatible:x@http://localhost:8080/v1' })).warnings).toEqual([])
    const env = { OPENAI_BASE_URL: 'http://127.0.0.1:8080/v1' }
    expect((await open({ name: 'openai-compatible:x', env })).warnings).toEqual([])
  })

  test('are reported if the person wrote them', async () => {
    const { warnings } = await open({ name: 'openai-compatible:x@http://models.example/v1' })
    expect(warnings).toEqual([
      'openai-compatible:x: http://models.example is not encrypted, so others on the network can read everything',
    ])
  })

  test('are rejected if they come from the variable of another program', async () => {
    const env = { ...keyOf('ANTHROPIC_API_KEY'), ANTHROPIC_BASE_URL: 'http://models.example' }
    await expect(open({ name: 'anthropic:x', env })).rejects.toThrow(
      'ANTHROPIC_BASE_URL: expected https, got http://models.example',
    )
  })
})

test('the fallback is opened; if that fails, it is reported', async () => {
  const env = keyOf('ANTHROPIC_API_KEY')
  const model = 'anthropic:x'
  const opened = await open({ env, model, fallbackModel: 'anthropic:y' })
  expect(opened.fallback?.modelId).toBe('y')
  const { fallback, warnings } = await open({ env, model, fallbackModel: 'google:y' })
  expect(fallback).toBeUndefined()
  expect(warnings).toEqual([
    expect.stringContaining('the fallback model cannot be used: google:y: there is no'),
  ])
  expect((await open({ env, model, fallbackModel: model })).fallback).toBeUndefined()
})

test('context windows and prices come from the configuration; windows also from the family', async () => {
  const entries = {
    'anthropic:x': { contextWindow: 50_000, price: { input: 3, output: 15, cacheRead: 0.3 } },
    'google:y': { price: { input: 1 } },
  }
  const opened = await open({ env: keyOf('ANTHROPIC_API_KEY'), name: 'anthropic:x', entries })
  expect(opened.contextWindowOf('anthropic:x')).toBe(50_000)
  expect(opened.contextWindowOf('google:gemini-2.5-pro')).toBe(1_048_576)
  expect(opened.contextWindowOf('openai-compatible:qwen3:4b')).toBeUndefined()
  expect(opened.prices).toEqual({ 'anthropic:x': { input: 3, output: 15, cacheRead: 0.3 } })
  expect(opened.warnings).toEqual([
    'models.google:y.price: expected input and output, got only input; it is ignored',
  ])
})

describe('the model that the conversation used last', () => {
  const server = 'http://127.0.0.1:8080/v1'

  test('is used if none is configured, before defaults', async () => {
    const env = { ANTHROPIC_API_KEY: 'key-of-anthropic', GEMINI_API_KEY: 'key-of-google' }
    expect(await open({ last: 'google:gemini-x', env })).toMatchObject({ name: 'google:gemini-x' })
    const configured = { last: 'google:gemini-x', model: 'google:gemini-y', env }
    expect(await open(configured)).toMatchObject({ name: 'google:gemini-y' })
  })

  test('is the fallback, with its server', async () => {
    const fallbackModel = `openai-compatible:small@${server}`
    const opened = await open({ last: 'openai-compatible:small', fallbackModel })
    expect(opened).toMatchObject({ name: 'openai-compatible:small', fallback: undefined })
    expect(opened.model).toMatchObject({ modelId: 'small' })
  })

  test('is not used without its server or its key', async () => {
    const env = { ANTHROPIC_API_KEY: 'key-of-anthropic', OPENAI_API_KEY: 'key-of-openai' }
    for (const last of ['openai-compatible:local', 'google:gemini-x', 'none'])
      expect((await open({ last, env })).name).toMatch(/^anthropic:/)
    await expect(open({ last: 'openai-compatible:local' })).rejects.toThrow(
      'note: the conversation used openai-compatible:local, whose server is not saved; name both with --model',
    )
    const entries = { 'openai-compatible:local': { baseUrl: server } }
    expect(await open({ last: 'openai-compatible:local', entries, env })).toMatchObject({
      name: 'openai-compatible:local',
    })
  })
})
