import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { answer, call, PromptSetup } from './prompt-support.ts'
import { type Ended, ending } from './run-curfew.ts'

const setup = new PromptSetup()
const sdk = new URL('./fixtures/telemetry-sdk.mjs', import.meta.url).href
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const outer = { TRACEPARENT: `00-${traceId}-00f067aa0ba902b7-01` }

interface SpanLine {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parent?: string
  readonly attributes: Readonly<Record<string, unknown>>
}

const file = (): string => join(setup.home, 'spans.jsonl')
const exported = (): string => (existsSync(file()) ? readFileSync(file(), 'utf8') : '')

function spans(): SpanLine[] {
  const lines = exported().split('\n').filter(Boolean)
  return lines.map((line): SpanLine => JSON.parse(line)).filter(({ name }) => name !== undefined)
}

/** Indented names, from the spans without a recorded parent on. Spans are exported when they end. */
function tree(): string[] {
  const all = spans()
  const below = (parent: string, indent: string): string[] =>
    all
      .filter((span) => span.parent === parent)
      .flatMap((span) => [indent + span.name, ...below(span.spanId, `${indent}  `)])
  const roots = all.filter(({ parent }) => !all.some(({ spanId }) => spanId === parent))
  return roots.flatMap((span) => [span.name, ...below(span.spanId, '  ')])
}

const traced = (): Record<string, string> => ({ NODE_OPTIONS: `--import ${sdk}`, SPANS: file() })

async function run(args: readonly string[], env: Record<string, string> = traced()): Promise<Ended> {
  return await ending(setup.start(args, 'ignore', env))
}

describe('an SDK that registers itself in the process turns tracing on', () => {
  test('curfew call: the trace goes from the caller through the call to the script', async () => {
    setup.script('trace', 'echo "$TRACEPARENT"')
    const { stdout, stderr, code } = await run(['call', 'script_trace', '--value'], { ...traced(), ...outer })
    expect([code, stderr]).toEqual([0, ''])
    const [span, ...others] = spans()
    expect(others).toEqual([])
    expect(span).toMatchObject({ name: 'execute_tool script_trace', traceId, parent: '00f067aa0ba902b7' })
    expect(stdout.trim()).toBe(`00-${traceId}-${span!.spanId}-01`)
    expect(exported()).toContain('"metric":"gen_ai.execute_tool.duration"')
  })

  test('curfew -p: a turn with its requests, its calls and a subagent', async () => {
    setup.script('work', 'echo done')
    const { model } = await setup.serve([
      call('script_work'),
      call('invoke_subagent', { task: 'Look.' }),
      call('script_work'),
      answer('looked'),
      answer('finished'),
    ])
    const args = ['-p', 'Go', '--yes', '--model', model]
    const { stdout, code } = await run(args, { ...traced(), ...outer })
    expect([code, stdout.trim()]).toEqual([0, 'finished'])
    expect(tree()).toEqual([
      'invoke_agent curfew',
      '  chat test-model',
      '  execute_tool script_work',
      '  chat test-model',
      '  execute_tool invoke_subagent',
      '    invoke_agent general',
      '      chat test-model',
      '      execute_tool script_work',
      '      chat test-model',
      '  chat test-model',
    ])
    const all = spans()
    expect(new Set(all.map((span) => span.traceId))).toEqual(new Set([traceId]))
    const ids = new Set(all.map(({ attributes }) => attributes['gen_ai.conversation.id']))
    expect(ids.size).toBe(1)
    expect(all.find(({ name }) => name === 'invoke_agent curfew')).toMatchObject({
      parent: '00f067aa0ba902b7',
      attributes: {
        'gen_ai.provider.name': 'openai-compatible',
        'gen_ai.request.model': 'test-model',
        'curfew.agent.end_reason': 'answer',
        'gen_ai.usage.input_tokens': expect.any(Number),
      },
    })
    expect(all.find(({ name }) => name === 'chat test-model')?.attributes).toMatchObject({
      'gen_ai.request.stream': true,
      'gen_ai.response.finish_reasons': ['tool-calls'],
      'gen_ai.usage.output_tokens': expect.any(Number),
    })
  })

  test('a turn that is stopped by a signal leaves no span behind', async () => {
    const { server, model } = await setup.serve([[{ stall: true }]])
    const child = setup.start(['-p', 'Go', '--model', model], 'ignore', traced())
    const ended = ending(child)
    await expect.poll(() => server.requests.length, { timeout: 20_000 }).toBe(1)
    child.kill('SIGINT')
    await ended
    expect(tree()).toEqual(['invoke_agent curfew', '  chat test-model'])
    expect(spans().map(({ attributes }) => attributes['error.type'])).toEqual(['AbortError', undefined])
  })
})

test('no secret is in a span, an event, a metric or the environment', async () => {
  const canary = 'canary-7f3a9c1e5b'
  const env = { CANARY_KEY: canary, OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true' }
  setup.script('leak', `env > "${setup.home}/environment"; echo "got $CANARY_KEY"; exit 1`, {
    secrets: ['CANARY_KEY'],
  })
  setup.script('other', `env > "${setup.home}/environment"; echo fine`)
  const { server, model } = await setup.serve([
    // The runtime does not know the secret before.
    call('script_leak', { text: `the key is ${canary}` }),
    call('script_leak', { text: `still ${canary}` }),
    call('script_other', { text: `the key is ${canary}` }),
    call(`missing_${canary}`),
    answer(`It is ${canary}.`),
  ])
  await run(['-p', 'Go', '--yes', '--model', model], { ...traced(), ...outer, ...env })
  expect(server.requests).toHaveLength(5)
  expect(tree()).toHaveLength(10)
  expect(exported()).toContain('the key is [secret CANARY_KEY]')
  expect(exported()).toContain('got [secret CANARY_KEY]')
  expect(exported()).not.toContain(canary)
  expect(readFileSync(join(setup.home, 'environment'), 'utf8')).not.toMatch(/canary|OTEL|SPANS|NODE_OPTIONS/)
})

test('content is recorded on request only', async () => {
  setup.script('work', 'echo the result')
  await run(['call', 'script_work', 'text=the argument'])
  expect(exported()).not.toMatch(/the result|the argument/)
  await run(['call', 'script_work', 'text=the argument'], {
    ...traced(),
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
  })
  expect(spans().at(-1)!.attributes).toMatchObject({
    'gen_ai.tool.call.arguments': '{"text":"the argument"}',
    'gen_ai.tool.call.result': 'the result',
    'gen_ai.tool.description': 'Run work.',
  })
})

test('without an SDK, nothing of it is loaded, and the trace of the caller is passed on', async () => {
  const list = join(setup.home, 'list.cjs')
  const loaded = join(setup.home, 'loaded')
  writeFileSync(
    list,
    `process.on('exit', () => require('fs').writeFileSync(${JSON.stringify(loaded)}, Object.keys(require.cache).join('\\n')))`,
  )
  setup.script('trace', 'echo "$TRACEPARENT $TRACESTATE"')
  const env = { NODE_OPTIONS: `--require ${list}`, ...outer, TRACESTATE: 'vendor=1' }
  const { stdout } = await run(['call', 'script_trace', '--value'], env)
  expect(stdout.trim()).toBe(`${outer.TRACEPARENT} vendor=1`)
  const files = readFileSync(loaded, 'utf8').split('\n')
  expect(files.some((name) => name.endsWith('bundle/run-call.cjs'))).toBe(true)
  expect(files.filter((name) => /opentelemetry|bundle\/telemetry/.test(name))).toEqual([])
})

test('an API that is too old is reported', async () => {
  const old = join(setup.home, 'old.mjs')
  writeFileSync(
    old,
    "globalThis[Symbol.for('opentelemetry.js.api.1')] = { version: '1.8.0', trace: { getTracer() {} } }",
  )
  setup.script('work', 'echo done')
  const env = { NODE_OPTIONS: `--import ${old}` }
  const { stdout, stderr } = await run(['call', 'script_work', '--value'], env)
  expect(stdout.trim()).toBe('done')
  expect(stderr).toBe(
    'warning: no spans are recorded: expected version 1.9 or newer of @opentelemetry/api in this process, got "1.8.0"\n',
  )
})
