import { expect, it } from 'vitest'
import { newTag } from '../../../test/support/processes.ts'
import { answer, call, linesOf, PromptSetup } from './prompt-support.ts'
import { ending } from './run-curfew.ts'
import { eventually, processesWith } from './terminal-shell.ts'

const setup = new PromptSetup()

it('reports retries and what is waited for longer than 10 seconds', async () => {
  const ended = await setup.prompt(
    [
      { error: 'rate-limit', headers: { 'retry-after': '1' } },
      call('sleep', { seconds: 11 }),
      [{ wait: 11_500 }, { text: 'Rested.' }],
    ],
    '-p',
    'Rest',
    '--output',
    'stream-json',
  )
  const lines = linesOf(ended)
  expect(lines.filter(({ type }) => type === 'notice')).toEqual([
    {
      type: 'notice',
      kind: 'retry',
      cause: expect.stringContaining('429'),
      attempt: 1,
      maxAttempts: 5,
      delayMs: expect.any(Number),
    },
  ])
  expect(lines.filter(({ type }) => type === 'waiting')).toEqual([
    {
      type: 'waiting',
      kind: 'call',
      name: 'sleep',
      uid: 1,
      elapsedMs: expect.any(Number),
      limitMs: 11_500,
      message: `waiting for sleep {"seconds":11}: 10 s of 11.5 s (the tool's own timeout)`,
    },
    {
      type: 'waiting',
      kind: 'model',
      name: 'openai-compatible:test-model',
      uid: null,
      elapsedMs: expect.any(Number),
      limitMs: 60_000,
      message: 'waiting for openai-compatible:test-model: no response for 10 s (limit 1 min)',
    },
  ])
  expect(ended.stderr).toContain('waiting for sleep {"seconds":11}: 10 s of 11.5 s')
  expect(ended.stderr).toContain('waiting for openai-compatible:test-model: no response for 10 s')
})

it('if nobody reads the output any more, nothing is left running', async () => {
  const tag = newTag()
  setup.script('slow', `echo ready; sleep ${tag}`)
  const { model } = await setup.serve([call('script_slow', { text: 'x' }), answer('never')])
  const child = setup.start(['-p', 'Go', '--yes', '--output', 'stream-json', '--model', model])
  const ended = ending(child)
  await eventually('the script runs', () => processesWith(`sleep ${tag}`).size > 0)
  child.stdout!.destroy()
  // The next line cannot be written; the waiting line comes after 10 seconds.
  expect(await ended).toMatchObject({ code: 141 })
  expect([...processesWith(`sleep ${tag}`)]).toEqual([])
})
