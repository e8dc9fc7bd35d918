import { createRuntime, type Runtime } from '@curfew/core'
import { createFakeClock, type Step, scriptedTool } from '@curfew/core/testing'
import { expect, test } from 'vitest'

const key = 'sk-proj-0123456789-abcdefghijklmnop'

/** Runs a command that emits these chunks, two seconds apart. */
async function start(chunks: readonly string[]) {
  const clock = createFakeClock()
  const runtime = createRuntime({ clock, approval: 'allow', log: () => {} })
  runtime.hideSecret('OPENAI_API_KEY', key)
  const script = chunks.flatMap((output): Step[] => [{ output }, { wait: 2_000 }])
  runtime.register(scriptedTool({ clock, name: 'run', script: [...script, { return: 'done' }] }))
  const events: Parameters<Parameters<Runtime['onOutput']>[0]>[0][] = []
  runtime.onOutput((event) => events.push(event))
  const done = runtime.execute([{ id: '1', name: 'run' }])
  const { uid } = runtime.getSnapshot().calls[0]!
  const row = () => runtime.getCall(uid)!
  const shown = () => row().outputTail + row().outputPending
  await clock.advance(0)
  return { clock, runtime, done, uid, events, row, shown }
}

test('lines are shown completely, although their ends could begin a secret', async () => {
  const lines = ['all tests\n', 'port 3007\n', 'abc\n', '0x73\n', 'sk\n', 'task\n', 'x c2\n', 'a sk-', 'ok\n']
  const { clock, done, shown, events, row } = await start(lines)
  for (let count = 1; count <= lines.length; count++) {
    const whole = lines.slice(0, count).join('')
    expect(shown()).toBe(whole)
    expect(events.map(({ text }) => text).join('') + events.at(-1)!.pending).toBe(whole)
    if (count < lines.length) await clock.advance(2_000)
  }
  await clock.runUntil(done)
  expect(row()).toMatchObject({ outputTail: lines.join(''), outputPending: '' })
  expect(clock.pending).toBe(0)
})

test('more of a possible secret is shown after a silence, but never eight characters of one', async () => {
  const { clock, runtime, uid, events, shown, done } = await start(['a sk-pr', 'oj', '-01', key.slice(10)])
  expect(shown()).toBe('a …')
  await clock.advance(199)
  expect(shown()).toBe('a …')
  await clock.advance(1)
  expect(shown()).toBe('a sk-pr')
  expect(events.at(-1)).toEqual({ uid, stream: 'stdout', text: '', offset: 2, pending: 'sk-pr' })
  expect(await runtime.readOutput(uid)).toMatchObject({ text: 'a ', length: 2 })
  await clock.advance(1_800)
  expect(shown()).toBe('a …')
  await clock.advance(2_000)
  expect(shown()).toBe('a …')
  await clock.advance(1_999)
  expect(shown()).toBe('a …')
  await clock.advance(1)
  expect(shown()).toBe('a [secret OPENAI_API_KEY]')
  await clock.runUntil(done)
  expect(events.map(({ text }) => text).join('')).toBe('a [secret OPENAI_API_KEY]')
  expect(clock.pending).toBe(0)
})

test('a call that ends releases the rest and leaves no timer', async () => {
  const { clock, runtime, uid, shown, done } = await start(['a sk-proj'])
  expect(shown()).toBe('a …')
  runtime.cancel({ uid })
  await clock.runUntil(done)
  expect(shown()).toBe('a sk-proj')
  expect(clock.pending).toBe(0)
})
