import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { executeToolCall } from '@curfew/core'
import { type Extensions, loadExtensions } from '@curfew/extensions'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scaled } from '../../../test/support/scaled.ts'

/** Loads one file from an empty home. */
async function loadOne(path: string, text: string): Promise<Extensions> {
  const home = mkdtempSync(join(tmpdir(), 'curfew-fuzz-'))
  try {
    const file = join(home, '.config', 'curfew', 'extensions', path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    if (path.startsWith('scripts')) writeFileSync(join(dirname(file), 'script.js'), '')
    return await loadExtensions({ cwd: home, env: { HOME: home } })
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

/** Expects a tool, or at least one problem with a file and a message. */
function expectToolOrProblem({ tools, problems }: Extensions): void {
  for (const { file, message, severity } of problems) {
    expect(file).toContain('extensions')
    expect(message.length).toBeGreaterThan(5)
    expect(['error', 'warning']).toContain(severity)
  }
  const errors = problems.filter(({ severity }) => severity === 'error')
  expect(tools.length === 1 ? errors.length === 0 : errors.length > 0).toBe(true)
}

const anything = fc.jsonValue({ maxDepth: 3 })
/** Mostly a valid value, sometimes any value. */
const mostly = <T>(valid: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 6, arbitrary: valid }, { weight: 1, arbitrary: anything })
const mostlyRecord = (shape: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> =>
  mostly(fc.record(shape, { requiredKeys: [] }))

const word = fc.oneof(fc.constantFrom('id', 'q', 'x', '__proto__', 'toString', 'a b', '', '..'), fc.string())
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('a\r\nb', 'secret:KEY', '{id}', '{', 'Token secret:K'),
)
const url = fc
  .tuple(
    fc.constantFrom(
      'https://a.example',
      'http://127.0.0.1:1',
      'ftp://a',
      'https://{id}',
      'https://u:p@a',
      '',
      'https://é.example',
    ),
    fc.array(
      fc.oneof(
        fc.constantFrom('/', '{id}', '{q}', '?', '&', '#', '..', '%2e', '\\', ' ', 'é', '%', '@'),
        fc.string(),
      ),
    ),
  )
  .map(([origin, parts]) => `${origin}/${parts.join('')}`)
const scalars = mostly(fc.dictionary(word, mostly(fc.oneof(text, fc.integer(), fc.boolean()))))
const parameter = mostlyRecord({
  type: fc.constantFrom('string', 'number', 'integer', 'boolean', 'array', 'object', 'date'),
  description: fc.string(),
  required: fc.boolean(),
  default: anything,
  enum: fc.array(anything),
  items: fc.oneof(
    fc.constant({ type: 'string' }),
    fc.dictionary(fc.constantFrom('type', '$ref', 'minItems', 'x'), anything),
  ),
})
const apiFile = mostlyRecord({
  name: fc.oneof(word, fc.constant('fine')),
  description: fc.string(),
  always_allow: fc.boolean(),
  concurrent: fc.boolean(),
  readOnly: fc.boolean(),
  idempotent: fc.boolean(),
  resources: fc.array(mostly(fc.constantFrom('a', '{id}', 'x:{q}-{id}', '{', '{}', '{constructor}', ''))),
  endpoint: mostlyRecord({
    url,
    method: fc.constantFrom('GET', 'POST', 'DELETE', 'get', 'X'),
    content_type: fc.constantFrom('json', 'form', 'xml'),
    headers: scalars,
    query: scalars,
    timeout: fc.oneof(fc.double(), fc.constantFrom('5s', 'soon', 1e300)),
  }),
  auth: mostlyRecord({
    type: fc.constantFrom('bearer', 'apikey', 'basic', 'oauth'),
    env: fc.constantFrom('KEY', 'a b', ''),
    header: text,
  }),
  parameters: mostly(fc.dictionary(word, parameter)),
  response: mostlyRecord({ format: fc.constantFrom('json', 'text', 'xml') }),
})
const scriptFile = mostlyRecord({
  name: word,
  description: fc.string(),
  timeout: fc.oneof(fc.double(), fc.constantFrom('5s', 'soon')),
  always_allow: fc.boolean(),
  concurrent: fc.boolean(),
  readOnly: fc.boolean(),
  idempotent: fc.boolean(),
  resources: fc.array(mostly(fc.constantFrom('a', '{id}', 'x:{q}-{id}', '{', '{}', '{constructor}', ''))),
  parameters: mostlyRecord({
    type: fc.constantFrom('object', 'array', 7),
    properties: mostly(
      fc.dictionary(
        word,
        mostlyRecord({ type: fc.constantFrom('string', 'nope'), $ref: fc.string(), default: anything }),
      ),
    ),
    required: anything,
    $schema: fc.string(),
    $async: fc.boolean(),
  }),
})

test('any API file results in a tool or a problem', async () => {
  await fc.assert(
    fc.asyncProperty(apiFile, async (document) => {
      expectToolOrProblem(await loadOne('apis/fuzz.json', JSON.stringify(document)))
    }),
    { numRuns: scaled(200) },
  )
}, 300_000)

test('any tool.json results in a tool or a problem', async () => {
  await fc.assert(
    fc.asyncProperty(scriptFile, async (document) => {
      expectToolOrProblem(await loadOne('scripts/fuzz/tool.json', JSON.stringify(document)))
    }),
    { numRuns: scaled(100) },
  )
}, 300_000)

test.each(['apis/fuzz.json', 'scripts/fuzz/tool.json'])(
  'any string in %s results in a tool or a problem',
  async (path) => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          anything.map((value) => JSON.stringify(value).slice(1)),
        ),
        async (bytes) => {
          expectToolOrProblem(await loadOne(path, bytes))
        },
      ),
      { numRuns: scaled(75) },
    )
  },
  300_000,
)

test('no parameter can change the host or the segments of the path', async () => {
  const { tools } = await loadOne(
    'apis/fuzz.json',
    JSON.stringify({
      description: 'D.',
      endpoint: { url: 'http://127.0.0.1:1/a/{id}/b?c={q}' },
      parameters: { id: { type: 'string' }, q: { type: 'string' }, r: { type: 'string' } },
    }),
  )
  await fc.assert(
    fc.asyncProperty(fc.record({ id: text, q: text, r: text }), async (params) => {
      const error = await executeToolCall(tools[0]!.tool, params).catch((thrown: unknown) => thrown as Error)
      const message = (error as Error).message
      // Nothing listens on port 1, so the error contains the requested URL.
      expect(message).toMatch(/^(id cannot be used|GET http:\/\/127\.0\.0\.1:1\/a\/[^/?#\s]+\/b failed: )/)
      expect(message).not.toMatch(/\/\.{1,2}\//)
    }),
    { numRuns: scaled(100) },
  )
}, 300_000)
