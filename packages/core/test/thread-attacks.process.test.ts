import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createRuntime, defineTool, type Runtime } from '@curfew/core'
import { afterEach, beforeEach, expect, test } from 'vitest'

const module = new URL('./fixtures/thread-attacks.js', import.meta.url)
const MiB = 2 ** 20
let runtime: Runtime

beforeEach(() => {
  runtime = createRuntime({
    approval: 'allow',
    toolCallTimeout: 100_000,
    log: () => {},
    limits: { callsPerTurn: 1_000 },
  })
})

afterEach(() => runtime.close())

async function run(name: string, params: unknown = {}) {
  const unregister = runtime.register(
    defineTool({
      name,
      description: 'Attack.',
      parameters: { type: 'object' },
      isolation: 'thread',
      readOnly: true,
      execute: { module, export: name },
    }),
  )
  const [result] = await runtime.execute([{ id: 'c', name, params }])
  unregister()
  return result!
}

test('ignores what a tool posts to ports that it finds', async () => {
  expect(await run('posts_to_ports')).toMatchObject({ value: { found: 1, leftInWorkerData: [] } })
})

test('rejects invalid arguments inside the thread', async () => {
  // A symbol and a function cannot be cloned as progress; a broken toString fails in log and output.
  expect(await run('odd_arguments')).toMatchObject({ status: 'success', value: { rejected: 4 } })
})

test('rejects invalid requests', async () => {
  const { value } = (await run('odd_requests')) as { value: string[] }
  expect(value).toHaveLength(32)
  expect(new Set(value)).toEqual(new Set(['rejected']))
})

test('queues requests beyond the limit of unanswered ones', async () => {
  runtime.register(
    defineTool({
      name: 'echo',
      description: 'Echo.',
      parameters: { type: 'object' },
      readOnly: true,
      concurrent: true,
      execute: (params) => params,
    }),
    defineTool({
      name: 'measure',
      description: 'Measure.',
      parameters: { type: 'object', properties: { text: { type: 'string' } } },
      readOnly: true,
      execute: ({ text = '' }) => text.length,
    }),
  )
  expect(await run('many_requests')).toMatchObject({
    value: Array.from({ length: 500 }, (_, index) => index),
  })
  expect(await run('large_requests')).toMatchObject({ value: Array(6).fill(5 * MiB) })
})

test.each(['many_calls', 'enormous_calls'])('rejects a batch that would block the host: %s', async (name) => {
  expect(await run(name)).toMatchObject({ code: 'LIMIT_EXCEEDED' })
})

test('returns strings and bytes up to a limit unchanged', async () => {
  const text = await run('returns_text', { length: 2 * MiB })
  expect((text as { value: string }).value).toBe('\ud800ä'.repeat(MiB))
  const { value } = (await run('returns_bytes', { length: 3 * MiB })) as { value: Uint8Array }
  expect(value.constructor).toBe(Uint8Array)
  expect(value.length === 3 * MiB && value.every((byte) => byte === 7)).toBe(true)
  expect(await run('returns_text', { length: 33 * MiB })).toMatchObject({ code: 'INVALID_RESULT' })
  expect(await run('returns_bytes', { length: 65 * MiB })).toMatchObject({ code: 'INVALID_RESULT' })
})

test('rejects a result that would block the host', async () => {
  expect(await run('returns_structure', { length: 1_000 })).toMatchObject({ status: 'success' })
  expect(await run('returns_structure', { length: 1_500_000 })).toMatchObject({
    code: 'INVALID_RESULT',
    message: expect.stringContaining('8 MiB of anything else'),
  })
  expect(await run('returns_deep', { length: 100 })).toMatchObject({ status: 'success' })
  expect(await run('returns_deep', { length: 100_000 })).toMatchObject({
    code: 'INVALID_RESULT',
    message: expect.stringContaining('200 levels deep'),
  })
})

test('rejects shared memory', async () => {
  expect(await run('returns_shared_memory')).toMatchObject({
    code: 'TOOL_FAILED',
    message: expect.stringContaining('could not be cloned'),
  })
  expect(await run('returns_text', { length: 1, shared: new SharedArrayBuffer(8) })).toMatchObject({
    code: 'INVALID_PARAMS',
    message: expect.stringContaining('params.shared: expected plain data'),
  })
})

test.each(Array.from({ length: 8 }, (_, index) => index))(
  'reports an unusual thrown value: %i',
  async (index) => {
    const result = await run('throws_odd', { index })
    expect(result).toMatchObject({ code: 'TOOL_FAILED' })
    expect(result.content.length).toBeLessThan(100_000)
  },
)

test('a result with a throwing `then` fails only its own call', async () => {
  expect(await run('returns_thenable')).toMatchObject({ code: 'TOOL_FAILED', message: 'no then' })
})

test('keeps what a thread printed before it ended', async () => {
  expect(await run('prints_and_exits')).toMatchObject({ code: 'WORKER_LOST', output: 'before the end\n' })
  expect(await run('prints_and_crashes')).toMatchObject({
    code: 'TOOL_FAILED',
    message: 'unhandled',
    output: 'before the end\n',
  })
})

test('starts threads under process-wide flags', async () => {
  const program = fileURLToPath(new URL('./fixtures/thread-program.js', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, ['--max-semi-space-size=8', program])
  expect(stdout).toBe('{"sum":5,"remaining":true}\n')
})
