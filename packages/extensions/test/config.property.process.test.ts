import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRuntime } from '@curfew/core'
import { type Config, loadConfig } from '@curfew/extensions'
import { configSchema } from '@curfew/extensions/internal'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { scaled } from '../../../test/support/scaled.ts'

let home: string
let project: string

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'curfew-home-'))
  project = mkdtempSync(join(tmpdir(), 'curfew-project-'))
  mkdirSync(join(home, '.config', 'curfew'), { recursive: true })
  mkdirSync(join(project, '.curfew'))
})

afterAll(() => {
  for (const folder of [home, project]) rmSync(folder, { recursive: true, force: true })
})

const files = () => ({
  user: join(home, '.config', 'curfew', 'config.json'),
  project: join(project, '.curfew', 'config.json'),
})
const load = (user: string, projectConfig: string, env: Record<string, string> = {}): Promise<Config> => {
  writeFileSync(files().user, user)
  writeFileSync(files().project, projectConfig)
  return loadConfig({ cwd: project, env: { HOME: home, CURFEW_TRUST: '1', ...env } })
}

/** Expects usable options, and problems with a file and, if they concern one, a field. */
async function check(config: Config, user: unknown, projectConfig: unknown): Promise<void> {
  await createRuntime({ ...config.options, log: () => {} }).close()
  for (const { key, value } of config.settings) expect([key, value]).not.toEqual([key, undefined])
  const documents = new Map([
    [files().user, user],
    [files().project, projectConfig],
  ])
  for (const { file, field, message } of config.problems) {
    expect([...documents.keys()]).toContain(file)
    expect(message).not.toBe('')
    const document = documents.get(file)
    const keys = isObject(document) ? Object.keys(document) : []
    // The whole file, or something in it.
    if (field === null) expect(keys.length === 0 || keys.includes('')).toBe(true)
    else expect(keys.some((key) => field.startsWith(key) || field.startsWith(`[${key}]`))).toBe(true)
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const valid = {
  toolCallTimeout: '2m',
  maxToolCallTimeout: 600_000,
  timeouts: { script: '5m', api: 1_000, 'mcp-stdio': '30s' },
  tools: {
    'mcp__*': {
      timeout: '5s',
      readOnly: true,
      idempotent: false,
      resources: ['file:{path}'],
      approval: 'ask',
    },
    '12': { idleTimeout: 5, concurrent: false, approval: 'deny', resources: [] },
    '// a.b': 'a comment',
  },
  queueTimeout: '1m',
  concurrency: 4,
  limits: { callsPerTurn: 10, depth: 2, continuations: 5 },
  loops: { nudgeAfter: 2, stopAfter: 4 },
  breaker: { maxCallsPerWindow: 5, resetTime: '2m', failures: 2, cooldown: '1m' },
  approval: { default: 'ask', rules: { allow: ['a'], ask: ['b(*)'], deny: ['c'] } },
  approvalTimeout: '5m',
  view: 'full',
  maxContentLength: 100,
  spillDirectory: 'spill',
  grace: 10,
  heartbeat: '10s',
  '//': 'a comment',
}

const paths = (value: unknown, path: readonly string[] = []): (readonly string[])[] =>
  typeof value !== 'object' || value === null
    ? [path]
    : [path, ...Object.entries(value).flatMap(([key, inner]) => paths(inner, [...path, key]))]

/** The valid configuration with a few values replaced or removed. */
const mutated = fc
  .array(fc.tuple(fc.constantFrom(...paths(valid).slice(1)), fc.option(fc.jsonValue(), { nil: undefined })), {
    minLength: 1,
    maxLength: 4,
  })
  .map((changes) => {
    const document = structuredClone(valid) as Record<string, unknown>
    for (const [path, value] of changes) {
      const owner = path.slice(0, -1).reduce<unknown>((inner, name) => Object(inner)[name], document)
      if (typeof owner !== 'object' || owner === null) continue
      Object.assign(owner, { [path.at(-1)!]: value })
    }
    return document
  })

const known = Object.keys(configSchema.properties as object)
const anyDocument = fc.oneof(
  fc.jsonValue(),
  mutated,
  fc.dictionary(fc.constantFrom(...known), fc.jsonValue()),
)

test('the valid configuration has no problems', async () => {
  const { problems, options } = await load(JSON.stringify(valid), '{}')
  expect(problems).toEqual([])
  expect(options).toMatchObject({ toolCallTimeout: 120_000, timeouts: { script: 300_000 }, view: 'full' })
})

test('any content of both files results in usable options and located problems', async () => {
  await fc.assert(
    fc.asyncProperty(anyDocument, anyDocument, async (user, projectConfig) => {
      await check(await load(JSON.stringify(user), JSON.stringify(projectConfig)), user, projectConfig)
    }),
    { numRuns: scaled(200) },
  )
})

test('strings that are almost JSON result in usable options and located problems', async () => {
  const broken = fc.oneof(
    fc.string(),
    fc.tuple(fc.constant(JSON.stringify(valid)), fc.nat(400)).map(([text, at]) => text.slice(0, at)),
  )
  await fc.assert(
    fc.asyncProperty(broken, async (text) => {
      const { options, problems } = await load(text, JSON.stringify({ concurrency: 3 }))
      expect(options.concurrency).toBe(3)
      for (const { file } of problems) expect(file).toBe(files().user)
    }),
    { numRuns: scaled(100) },
  )
})

test('an invalid file does not affect the other', async () => {
  const good = JSON.stringify(valid)
  const alone = await load(good, '{}')
  await fc.assert(
    fc.asyncProperty(fc.constantFrom('{', '[]', '"x"', '\0', ''), async (bad) => {
      const { options, problems } = await load(good, bad)
      expect(withoutFunctions(options)).toEqual(withoutFunctions(alone.options))
      expect(problems).toMatchObject([{ severity: 'error', file: files().project, field: null }])
      const other = await load(bad, good)
      expect(other.options).toMatchObject({ concurrency: 4, limits: valid.limits })
      expect(other.problems).toMatchObject([
        { severity: 'error', file: files().user, field: null },
        // The user's file may deny everything, so allow rules of the project are ignored until it can be read.
        { severity: 'warning', file: files().project, field: 'approval.rules.allow' },
        { severity: 'warning', file: files().project, field: 'tools.mcp__*.readOnly' },
      ])
    }),
  )
})

test('an invalid field does not affect the others', async () => {
  const keys = paths(valid).filter((path) => path.length === 1 && path[0] !== '//')
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...keys), fc.jsonValue(), async ([key], value) => {
      const { options } = await load(JSON.stringify({ ...valid, [key!]: value }), '{}')
      const alone = (await load(JSON.stringify(valid), '{}')).options
      const { [key as 'grace']: _, ...rest } = options
      const { [key as 'grace']: __, ...expected } = alone
      expect(withoutFunctions(rest)).toEqual(withoutFunctions(expected))
    }),
    { numRuns: scaled(100) },
  )
})

/** The functions that store answers are new for each load. */
const withoutFunctions = (options: object): unknown => JSON.parse(JSON.stringify(options))

test('any variables result in usable options and located problems', async () => {
  const names = ['CURFEW_TOOL_CALL_TIMEOUT', 'CURFEW_LOOPS', 'CURFEW_APPROVAL', 'CURFEW_CONCURRENCY']
  const values = fc.oneof(fc.string(), fc.double().map(String), fc.constantFrom('5', '5s', 'false', 'deny'))
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.constantFrom(...names), values), async (env) => {
      const config = await load('{}', '{}', env)
      await createRuntime({ ...config.options, log: () => {} }).close()
      for (const { file, field } of config.problems) {
        expect(file).toBe('the environment')
        expect(names).toContain(field)
      }
    }),
    { numRuns: scaled(100) },
  )
})
