import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRuntime, type Tool } from '@curfew/core'
import { loadConfig, openVault } from '@curfew/extensions'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { scaled } from '../../../test/support/scaled.ts'
import { agentTools } from '../src/agent/agent-tools.ts'
import { ChildModels } from '../src/agent/child-models.ts'

const home = mkdtempSync(join(realpathSync(tmpdir()), 'curfew-arguments-'))
const project = join(home, 'project')
mkdirSync(join(project, '.git'), { recursive: true })
mkdirSync(join(project, 'folder/sub'), { recursive: true })
writeFileSync(join(project, 'file'), 'one\ntwo\n')
writeFileSync(join(project, 'binary'), Buffer.from([0, 1, 2, 255]))
writeFileSync(join(project, 'sound.mp3'), 'x')
writeFileSync(join(project, 'escape\u001b[31m\u202e'), 'x')
symlinkSync('loop', join(project, 'loop'))
symlinkSync('/', join(project, 'root'))
execFileSync('mkfifo', [join(project, 'fifo.mp3')])

const runtime = createRuntime({ approval: 'ask', log: () => {} })
afterAll(async () => {
  await runtime.close()
  rmSync(home, { recursive: true, force: true })
})
const env = { HOME: home, CURFEW_SECRET_STORE: 'file', CURFEW_PASSPHRASE: 'of the tests' }
/** They would run anything. */
const runners = ['run_command', 'invoke_external_agent', 'cross_review_with_external_agents']
runtime.onQuestion((question) => {
  if (question.kind === 'input') return { text: 'yes' }
  return runners.includes(question.tool) ? 'no' : 'once'
})
const { tools } = await agentTools({
  config: await loadConfig({ cwd: project, env }),
  runtime,
  vault: openVault({ root: home, env }),
  models: new ChildModels(),
  system: '',
  cwd: project,
  addedFolders: [],
  editor: { readText: async () => 42 as never, writeText: () => Promise.reject(new Error('\u001b[31m')) },
  notify: () => {},
})
runtime.register(tools)

const hostile = fc.oneof(
  fc.constantFrom(
    ...[
      '',
      '.',
      '..',
      '/',
      '~',
      '~/x',
      '\0',
      'a\0b',
      'file',
      'file/x',
      'folder',
      'fifo.mp3',
      'sound.mp3',
      'loop',
      'root/etc',
    ],
    ...[
      'binary',
      'escape\u001b[31m\u202e',
      '/dev/zero',
      '/dev/stdin',
      '/proc/self/mem',
      'file\n',
      ' file',
      '\ud800',
      '-rf',
      '%s',
    ],
    ...[
      'x'.repeat(300),
      'a/'.repeat(3_000),
      'x'.repeat(200_000),
      '**/'.repeat(60),
      '(a+)+$',
      '[',
      '{',
      '\\',
      '__proto__',
    ],
    ...[
      'http://[::1]/',
      'https://',
      'file:///etc/passwd',
      'http://a:b@c/',
      'http://127.0.0.1:1/\r\nX: y',
      'javascript:1',
    ],
  ),
  fc.string({ unit: 'binary', maxLength: 30 }),
)
const numbers = fc.oneof(
  fc.constantFrom(0, -1, 1, 1e21, 2 ** 31, Number.MAX_SAFE_INTEGER, 0.5),
  fc.integer({ min: -10, max: 10 }),
)
const anything = fc.oneof(hostile, numbers, fc.boolean(), fc.constant(null), fc.jsonValue({ maxDepth: 3 }))

interface JsonSchema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
}

/** Mostly of the right type. */
function valueFor(schema: JsonSchema): fc.Arbitrary<unknown> {
  const typed = (): fc.Arbitrary<unknown> => {
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
    switch (schema.type) {
      case 'string':
        return hostile
      case 'integer':
      case 'number':
        return numbers
      case 'boolean':
        return fc.boolean()
      case 'array':
        return fc.array(valueFor(schema.items ?? {}), { maxLength: 4 })
      case 'object':
        return fc.record(
          Object.fromEntries(
            Object.entries(schema.properties ?? {}).map(([key, one]) => [key, valueFor(one)]),
          ),
          { requiredKeys: [] },
        )
      default:
        return anything
    }
  }
  return fc.oneof({ weight: 12, arbitrary: typed() }, { weight: 1, arbitrary: anything })
}

const paramsOf = ({ schema }: Tool): fc.Arbitrary<unknown> => valueFor(schema.jsonSchema as JsonSchema)

test.each(tools)('$name: whatever the arguments are, there is one result, in time', async (tool) => {
  const property = fc.asyncProperty(
    fc.array(paramsOf(tool), { minLength: 1, maxLength: 6 }),
    async (batch) => {
      const calls = batch.map((params, index) => ({
        id: `${index}`,
        name: tool.name,
        params: params as never,
      }))
      const started = performance.now()
      const results = await runtime.conversation().execute(calls)
      expect(performance.now() - started).toBeLessThan(20_000)
      expect(results.map(({ id }) => id)).toEqual(calls.map(({ id }) => id))
      for (const result of results) {
        expect((result as { code?: string }).code).not.toBe('TIMEOUT')
        // An error that is not ours is a mistake in the tool.
        expect(result.content).not.toMatch(
          /TypeError|RangeError|Cannot read prop|is not a function|undefined/,
        )
      }
    },
  )
  await fc.assert(property, { numRuns: scaled(30) })
})
