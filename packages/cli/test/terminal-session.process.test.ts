import { stripVTControlCharacters } from 'node:util'
import { createAgent, createCommands } from '@curfew/agent'
import { createRuntime, defineTool } from '@curfew/core'
import { expect, test, vi } from 'vitest'
import { type ScriptedResponse, scriptedModel } from '../../agent/test/support/scripted-model.ts'
import type { OpenedAgent } from '../src/agent/open-agent.ts'
import { TerminalSession } from '../src/tui/session/terminal-session.ts'
import { createTheme } from '../src/tui/theme/theme.ts'
import { Transcript } from '../src/tui/transcript/transcript.ts'

const until = (assert: () => void): Promise<void> => vi.waitFor(assert, { timeout: 60_000, interval: 5 })
const layout = { width: 80, theme: createTheme('plain') }

/** A session with a scripted model and a tool that ends when it is told to. */
function setUp(script: readonly ScriptedResponse[], { hasModel = true } = {}) {
  const runtime = createRuntime({ approval: 'allow', log: () => {} })
  const ends: (() => void)[] = []
  runtime.register(
    defineTool({
      name: 'wait',
      description: 'Wait.',
      parameters: { type: 'object', properties: {} },
      execute: (_, { signal }) =>
        new Promise<string>((resolve, reject) => {
          ends.push(() => resolve('waited'))
          signal.addEventListener('abort', () => reject(signal.reason as Error))
        }),
    }),
  )
  const model = scriptedModel(script)
  const agent = createAgent({ model, runtime })
  const commands = createCommands({ runtime, agent })
  const opened = {
    agent,
    runtime,
    commands,
    resolvers: {},
    model: () => 'test:scripted',
    modelProblem: () => (hasModel ? null : new Error('there is no model')),
  } as unknown as OpenedAgent
  const transcript = new Transcript()
  let input = ''
  const session = new TerminalSession({
    transcript,
    formatCalls: (rows) => rows.map(({ name, status }) => `[${name} ${status}]`),
    returnToInput: (text) => {
      input = text
    },
    openCalls: () => {},
  })
  const lines = (): string[] => {
    session.draw()
    return transcript
      .getSnapshot()
      .items.flatMap((item) => item.lines(layout))
      .map(stripVTControlCharacters)
      .filter((line) => line !== '')
  }
  const shows = (...expected: string[]) => until(() => expect(lines()).toEqual(expected))
  const close = (): Promise<void> => runtime.close()
  return { session, opened, model, ends, shows, lines, input: () => input, close }
}

const call = { calls: [{ name: 'wait' }] }

test('a prompt and its answer', async () => {
  const { session, opened, shows, close } = setUp([{ text: ['Hel', 'lo.\n\nHow ', 'are you?'] }])
  session.attach(opened)
  session.submit('Hi')
  await shows('> Hi', 'Hello.', 'How are you?')
  expect(session.isBusy).toBe(false)
  await close()
})

test('what is typed before the agent is open can be taken back', async () => {
  const { session, input, close } = setUp([])
  session.submit('Hi')
  expect(session.cancel()).toBe(true)
  expect([input(), session.state.getSnapshot().queued]).toEqual(['Hi', []])
  await close()
})

test('what is typed before the agent is open is not sent by someone who has quit', async () => {
  const { session, opened, model, close } = setUp([{ text: 'Hello.' }])
  session.submit('Hi')
  session.state.set({ isClosing: true })
  session.attach(opened)
  expect([session.isBusy, model.requests]).toEqual([false, []])
  await close()
})

test('what is typed before the agent is open is sent afterwards', async () => {
  const { session, opened, shows, close } = setUp([{ text: 'Hello.' }])
  session.submit('Hi')
  expect(session.state.getSnapshot().queued).toEqual(['Hi'])
  session.attach(opened)
  await shows('> Hi', 'Hello.')
  expect(session.state.getSnapshot().queued).toEqual([])
  await close()
})

test('a queued prompt is shown when it is delivered, and everything is shown once', async () => {
  const { session, opened, ends, shows, close } = setUp([
    { text: 'I wait.', ...call },
    { text: 'Both done.' },
  ])
  session.attach(opened)
  session.submit('One')
  await until(() => expect(ends).toHaveLength(1))
  session.submit('Two')
  await until(() => expect(session.state.getSnapshot().queued).toEqual(['Two']))
  ends[0]!()
  await shows('> One', 'I wait.', '[wait success]', '> Two', 'Both done.')
  expect(session.state.getSnapshot().queued).toEqual([])
  await close()
})

test('a queued prompt can be taken back to the input', async () => {
  const { session, opened, model, ends, shows, input, close } = setUp([call, { text: 'Done.' }])
  session.attach(opened)
  session.submit('One')
  await until(() => expect(ends).toHaveLength(1))
  session.submit('Two')
  await until(() => expect(session.state.getSnapshot().queued).toEqual(['Two']))
  expect(session.editQueued()).toBe(true)
  expect(input()).toBe('Two')
  await until(() => expect(session.state.getSnapshot().queued).toEqual([]))
  ends[0]!()
  await shows('> One', '[wait success]', 'Done.')
  expect(JSON.stringify(model.requests)).not.toContain('Two')
  expect(session.editQueued()).toBe(false)
  await close()
})

test('a queued prompt can be sent at once: the running turn ends', async () => {
  const { session, opened, ends, shows, close } = setUp([call, { text: 'Second answer.' }])
  session.attach(opened)
  session.submit('One')
  await until(() => expect(ends).toHaveLength(1))
  expect(session.sendQueuedNow()).toBe(false)
  session.submit('Two')
  await until(() => expect(session.state.getSnapshot().queued).toEqual(['Two']))
  expect(session.sendQueuedNow()).toBe(true)
  await shows('> One', '[wait cancelled]', '! Cancelled.', '> Two', 'Second answer.')
  await close()
})

test('ESC ends the turn, and what was queued returns to the input', async () => {
  const { session, opened, ends, shows, input, close } = setUp([{ text: 'I wait.', ...call }])
  expect(session.cancel()).toBe(false)
  session.attach(opened)
  session.submit('One')
  await until(() => expect(ends).toHaveLength(1))
  session.submit('Two')
  session.submit('Three')
  await until(() => expect(session.state.getSnapshot().queued).toEqual(['Two', 'Three']))
  expect(session.cancel()).toBe(true)
  await shows('> One', 'I wait.', '[wait cancelled]', '! Cancelled.')
  expect(input()).toBe('Two\nThree')
  await until(() => expect(session.isBusy).toBe(false))
  expect(session.state.getSnapshot()).toMatchObject({ queued: [], turn: null, liveCalls: [] })
  await close()
})

test('a response that was cut off is not repeated', async () => {
  const { session, opened, shows, close } = setUp([
    { text: 'First part, ', finish: 'length', ...call },
    { text: ['First par', 't, second part.'] },
  ])
  session.attach(opened)
  session.submit('Hi')
  await shows('> Hi', 'First part, second part.')
  await close()
})

test('without a model, commands work and prompts explain how to configure one', async () => {
  const { session, opened, model, ends, lines, close } = setUp([], { hasModel: false })
  session.attach(opened)
  session.submit('/tool wait')
  await until(() => expect(ends).toHaveLength(1))
  ends[0]!()
  await until(() => expect(lines()).toContain('[wait success]'))
  session.submit('Hi')
  await until(() => expect(lines().join('\n')).toMatch(/there is no model[\s\S]*1\. [\s\S]*2\. [\s\S]*3\. /))
  expect(model.requests).toEqual([])
  await close()
})

test('a call moves to the background, and the turn goes on without it', async () => {
  const { session, opened, ends, shows, close } = setUp([call, { text: 'It goes on.' }])
  session.attach(opened)
  session.submit('One')
  await until(() => expect(ends).toHaveLength(1))
  expect(session.moveToBackground()).toBe(1)
  await shows('> One', '[wait success]', 'It goes on.')
  expect(session.backgroundTasks).toHaveLength(1)
  ends[0]!()
  await shows('> One', '[wait success]', 'It goes on.', '[wait success]')
  expect(session.backgroundTasks).toEqual([])
  await close()
})
