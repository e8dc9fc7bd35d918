import { expect, it } from 'vitest'
import type { ModelServerOptions } from '../../../packages/torture/src/model-server/start-model-server.ts'
import { answer, call, PromptSetup, problemsOf } from './prompt-support.ts'
import { ending } from './run-curfew.ts'

const setup = new PromptSetup()

const sleepForever: ModelServerOptions['script'] = (_request, index) =>
  call('sleep', { seconds: 0.001 + index / 1e4 })
const sameForever: ModelServerOptions['script'] = ({ body }) =>
  body.tool_choice === 'none' ? answer('I give up.') : call('script_same', {})

it.each<[string, number, ModelServerOptions['script'], string[], RegExp]>([
  ['answer', 0, [answer('Yes.')], [], /^$/],
  ['model-failure', 1, [{ error: 'auth' }], [], /^curfew: model failure: .*401/],
  ['limit', 3, sleepForever, ['--set', 'limits.continuations=2'], /curfew: limit: .*limits\.continuations/],
  ['loop', 4, sameForever, ['--yes'], /curfew: loop: the model repeated the same calls/],
  ['budget', 5, sleepForever, ['--set', 'budget.turn.tokens=30'], /curfew: budget: .*budget\.turn\.tokens/],
])('%s exits with %d', async (reason, code, script, options, stderr) => {
  setup.script('same', 'echo same')
  const served = await setup.serve(script)
  const ended = await setup.run('-p', 'Go', '--output', 'json', '--model', served.model, ...options)
  expect({ code: ended.code, reason: JSON.parse(ended.stdout).reason }).toEqual({ code, reason })
  expect(ended.stderr).toMatch(stderr)
})

it.each(['configured', '--model'])(
  'model-switched exits with 7, and the conversation goes on with the fallback (%s)',
  async (how) => {
    const fallback = await setup.serve([answer('From the fallback.')], 'anthropic')
    const quota = await setup.serve([call('sleep', { seconds: 0.01 }), { error: 'quota' }])
    const model = how === 'configured' ? { model: quota.model } : {}
    setup.writeUser('config.json', { ...model, fallbackModel: fallback.model })
    const ended = await setup.run('-p', 'Go', ...(how === '--model' ? ['--model', quota.model] : []))
    expect(ended).toMatchObject({ code: 7, stdout: '' })
    expect(ended.stderr).toContain(
      'curfew: model switched: the quota of openai-compatible:test-model is exhausted',
    )
    const next = await setup.run('--continue', '-p', 'Again')
    expect(next).toMatchObject({ code: 0, stdout: 'From the fallback.\n' })
    expect(problemsOf(fallback)).toEqual([])
  },
)

it('a model that cannot be reached exits with 1 and names it', async () => {
  const ended = await setup.run('-p', 'Go', '--model', 'openai-compatible:x@http://127.0.0.1:1/v1')
  expect(ended).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('openai-compatible:x') })
})

it('a model that fails names the command that checks it', async () => {
  const { model } = await setup.serve([{ error: 'auth' }])
  const { stderr } = await setup.run('-p', 'Go', '--model', model)
  expect(stderr).toMatch(/401.*\nTo check the model, its server and its key: curfew models --model /)
  expect(stderr.endsWith(`${model}\n`)).toBe(true)
})

it('a model that does not respond names the setting of the limit', async () => {
  const { model } = await setup.serve(() => [{ stall: true }])
  const ended = await setup.run('-p', 'Go', '--model', model, '--set', 'modelTimeouts.firstToken=300ms')
  expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('(modelTimeouts.firstToken') })
})

it('an invalid model in the configuration is reported once', async () => {
  setup.writeUser('config.json', { model: 'gemini' })
  const { code, stderr } = await setup.run('-p', 'Go')
  expect(code).toBe(2)
  expect(stderr).toMatch(/^curfew: .*config\.json: model: expected provider:name.*\n$/)
})

it('without a model, it exits with 2 and explains how to choose one', async () => {
  const child = setup.start(['-p', 'Go'], 'ignore', {
    OPENAI_API_KEY: '',
    ANTHROPIC_API_KEY: '',
    GEMINI_API_KEY: '',
  })
  const ended = await ending(child)
  expect(ended).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('no model is configured'),
  })
})

it('a stream that is cut off keeps the text that has arrived', async () => {
  const ended = await setup.prompt([[{ text: 'Once upon' }, { drop: true }]], '-p', 'Tell')
  expect(ended).toMatchObject({ code: 1, stdout: 'Once upon\n' })
  expect(ended.stderr).toMatch(/^curfew: model failure: openai-compatible:test-model/)
})

it('a retry is reported with its cause, the delay, the attempt and the maximum', async () => {
  const ended = await setup.prompt(
    [{ error: 'rate-limit', headers: { 'retry-after': '1' } }, answer('ok')],
    '-p',
    'Go',
  )
  expect(ended).toMatchObject({ code: 0, stdout: 'ok\n' })
  expect(ended.stderr).toMatch(/openai-compatible:test-model.*429.*; attempt 2 of 5 in 1(\.\d)? s\n/)
})

it('a budget in money needs the price of the model', async () => {
  const { model, server } = await setup.serve(sleepForever)
  const run = () => setup.run('-p', 'Go', '--set', 'budget.turn.money=0.001', '--model', model)
  expect(await run()).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('the price of openai-compatible:test-model is unknown; set models.'),
  })
  expect(server.requests).toEqual([])
  const set = await setup.run(
    'config',
    'set',
    'models.openai-compatible:test-model.price.input=10',
    'models.openai-compatible:test-model.price.output=100',
  )
  expect(set).toMatchObject({ code: 0 })
  expect(await run()).toMatchObject({ code: 5, stderr: expect.stringContaining('budget.turn.money') })
})
