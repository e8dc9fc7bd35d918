import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type AgentEvent,
  type AgentOptions,
  createAgent,
  createCommands,
  createSession,
  type HistoryItem,
  resumeSession,
} from '@curfew/agent'
import { type CheckpointRequest, createCheckpointHost } from '@curfew/agent/tools'
import { type Answer, createRuntime, defineTool, type Question } from '@curfew/core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openWorkspace } from './support/checkpoint-setup.ts'
import { expectBalanced } from './support/expect-balanced.ts'
import { type ScriptedResponse, scriptedModel } from './support/scripted-model.ts'

/** An agent with tools that read and write files of a workspace. */
function setUp(
  script: readonly ScriptedResponse[],
  { options = {}, answer }: { options?: Partial<AgentOptions>; answer?: (question: Question) => Answer } = {},
) {
  const workspace = openWorkspace()
  const { root, checkpoints } = workspace
  const runtime = createRuntime({ approval: 'allow', log: () => {} })
  onTestFinished(() => runtime.close())
  const path = { type: 'object', properties: { path: { type: 'string' }, text: { type: 'string' } } } as const
  runtime.register(
    defineTool({
      name: 'read',
      description: 'Read a file.',
      readOnly: true,
      parameters: path,
      execute: ({ path = '' }) => readFileSync(join(root, path), 'utf8'),
    }),
    defineTool({
      name: 'write',
      description: 'Write a file.',
      parameters: path,
      execute: ({ path = '', text = '' }) => {
        writeFileSync(join(root, path), text)
        return 'written'
      },
    }),
    defineTool({
      name: 'serve',
      description: 'Serve.',
      parameters: path,
      execute: (_params, { signal, detach }) => {
        detach()
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
        })
      },
    }),
  )
  const questions: Question[] = []
  if (answer !== undefined)
    runtime.onQuestion((question) => {
      questions.push(question)
      return answer(question)
    })
  const model = scriptedModel(script)
  const agent = createAgent({ model, runtime, checkpoints, ...options })
  const host = createCheckpointHost({ checkpoints, agent, runtime, conversation: 'test' })
  const commands = createCommands({ runtime, agent, checkpoints: host })
  const type = async (text: string) => {
    const input = commands.parse(text)
    if (input.type === 'prompt') throw new Error(`${text} is not a command`)
    return await commands.run(input)
  }
  const send = async (prompt: string): Promise<AgentEvent[]> => {
    const events: AgentEvent[] = []
    for await (const event of agent.send(prompt)) events.push(event)
    return events
  }
  const items = () => agent.getSnapshot().items
  return { ...workspace, runtime, agent, model, type, send, items, questions }
}

const write = (text: string, path = 'file') => ({ name: 'write', input: { path, text } })
const yes = (): Answer => ({ text: 'restore' })

describe('seed 003: saving checkpoints must not depend on the history that it is part of', () => {
  test('one checkpoint per batch, however often the history changes', async () => {
    const taken: CheckpointRequest[] = []
    const { send, items, agent } = setUp(
      [
        { calls: [write('1'), write('1', 'other'), { name: 'read', input: { path: 'file' } }] },
        { calls: [{ name: 'read', input: { path: 'file' } }] },
        { calls: [write('2')] },
        { text: 'Done.' },
      ],
      { options: { checkpoints: { take: async (request) => void taken.push(request) } } },
    )
    let changes = 0
    // As a user interface that adds messages whenever something changes.
    agent.subscribe(() => {
      if (++changes < 20) agent.addParts([{ type: 'text', text: `change ${changes}` }])
    })
    await send('Go.')
    expect(taken.map(({ followedBy }) => followedBy)).toEqual([
      [expect.stringContaining('write'), expect.stringContaining('write'), expect.stringContaining('read')],
      [expect.stringContaining('write')],
    ])
    expectBalanced(items())
  })

  test('taking a checkpoint adds nothing to the history, and the model sees the same requests', async () => {
    const script = [{ calls: [write('1')] }, { calls: [write('2')] }, { text: 'Done.' }]
    const withCheckpoints = setUp(script)
    const without = setUp(script, { options: { checkpoints: undefined } })
    await withCheckpoints.send('Go.')
    await without.send('Go.')
    const untimed = (items: readonly HistoryItem[]) => items.map(({ at: _, ...item }) => item)
    expect(untimed(withCheckpoints.items())).toEqual(untimed(without.items()))
    expect(withCheckpoints.model.requests).toEqual(without.model.requests)
    expect(await withCheckpoints.checkpoints.list()).toHaveLength(2)
    expect(await without.checkpoints.list()).toEqual([])
  })

  test('the position is that of the batch, not of an earlier state of the history', async () => {
    const { send, items, checkpoints } = setUp([
      { calls: [write('1')] },
      { calls: [write('2')] },
      { text: 'Done.' },
      { calls: [write('3')] },
      { text: 'Done.' },
    ])
    await send('First.')
    await send('Second.')
    const positions = (await checkpoints.list()).map(({ position }) => position).reverse()
    const at = (position: number) => items().find(({ id }) => id === position)!
    expect(positions.map((position) => at(position).type)).toEqual(['user', 'results', 'user'])
    expect(positions).toEqual([...positions].sort((a, b) => a - b))
  })
})

test('a checkpoint that fails or throws never costs a call', async () => {
  const log: unknown[] = []
  const { send, files } = setUp([{ calls: [write('1')] }, { text: 'Done.' }], {
    options: {
      checkpoints: { take: () => Promise.reject(new Error('broken')) },
      log: (entry) => log.push(entry),
    },
  })
  const events = await send('Go.')
  expect(events.at(-1)).toMatchObject({ reason: 'answer' })
  expect(files()).toEqual({ file: 'file 1' })
  expect(log).toEqual([expect.objectContaining({ message: 'no checkpoint was taken' })])
})

test("the conversation's own beforeChanges is called, too", async () => {
  const called: number[] = []
  const { send, checkpoints } = setUp([{ calls: [write('1')] }, { text: 'Done.' }], {
    options: { conversation: { beforeChanges: ({ batch }) => void called.push(batch) } },
  })
  await send('Go.')
  expect(called).toHaveLength(1)
  expect(await checkpoints.list()).toHaveLength(1)
})

test('/restore lists checkpoints, and restores files and conversation after a confirmation', async () => {
  const { send, type, items, files, questions, model } = setUp(
    [
      { calls: [write('1')] },
      { text: 'Wrote 1.' },
      { calls: [write('2'), write('new', 'created')] },
      { text: 'Wrote 2.' },
      { text: 'Hello again.' },
    ],
    { answer: yes },
  )
  await send('Write 1.')
  const before = items()
  await send('Write 2.')
  expect(await type('/restore')).toEqual({
    type: 'choices',
    title: 'Checkpoints, newest first, with what followed:',
    choices: [
      { input: '/restore 2', description: expect.stringMatching(/^.+, before write .*; write .*created/) },
      { input: '/restore 1', description: expect.stringMatching(/before write/) },
    ],
  })
  const result = await type('/restore 2')
  expect(result).toEqual({
    type: 'text',
    text: 'Restored 2 files from checkpoint 2. To undo it: /restore 3\nThe conversation is as it was then.',
  })
  expect(questions).toMatchObject([
    {
      kind: 'input',
      choices: ['restore', 'cancel'],
      message: expect.stringContaining(
        '\n  delete created\n  change file\n3 later messages of the conversation will be removed.\n',
      ),
    },
  ])
  expect(files()).toEqual({ file: 'file 1' })
  // The prompt of the turn stays: the checkpoint was taken after it.
  expect(items().slice(0, before.length)).toEqual(before)
  expect(items()).toHaveLength(before.length + 1)
  expectBalanced(items())
  await send('Hello.')
  expect(JSON.stringify(model.requests.at(-1))).not.toContain('Wrote 2.')
  expect(await type('/restore 3')).toMatchObject({
    text: expect.stringMatching(/^Restored 2 files from checkpoint 3/),
  })
  expect(files()).toEqual({ file: 'file 2', created: 'file new' })
})

test('nothing is restored if the person declines, or if nobody can be asked', async () => {
  const declined = setUp([{ calls: [write('1')] }, { text: 'Done.' }], { answer: () => ({ text: 'cancel' }) })
  await declined.send('Go.')
  const items = declined.items()
  expect(await declined.type('/restore 1')).toEqual({ type: 'text', text: 'Nothing was restored.' })
  const alone = setUp([{ calls: [write('1')] }, { text: 'Done.' }])
  await alone.send('Go.')
  expect(await alone.type('/restore 1')).toMatchObject({
    type: 'error',
    message: '/restore needs a confirmation, and nobody is available to give it',
  })
  for (const { files, checkpoints } of [declined, alone]) {
    expect(files()).toEqual({ file: 'file 1' })
    expect(await checkpoints.list()).toHaveLength(1)
  }
  expect(declined.items()).toBe(items)
})

test('what the person typed gets a checkpoint, too', async () => {
  const { type, files, checkpoints, items } = setUp([], { answer: yes })
  await type('/tool write path=file text=typed')
  expect((await checkpoints.list())[0]).toMatchObject({
    position: 0,
    followedBy: [expect.stringMatching(/^write/)],
  })
  expect(items()).toHaveLength(1)
  await type('/tool read path=file')
  expect(await checkpoints.list()).toHaveLength(1)
  await type('/restore 1')
  expect(files()).toEqual({})
  expect(items()).toEqual([])
})

test('/restore is rejected while something may be changing files, and names it', async () => {
  const {
    type,
    send,
    files,
    runtime,
    write: change,
  } = setUp([{ calls: [write('1')] }, { text: 'Done.' }], {
    answer: yes,
  })
  await send('Go.')
  await type('/tool serve')
  change('file', 'person')
  expect(await type('/restore 1')).toEqual({
    type: 'error',
    message: expect.stringMatching(/^\/restore: serve \(background task \d+\) may be changing files/),
  })
  expect(files()).toEqual({ file: 'file person' })
  for (const { uid } of runtime.getSnapshot().calls) runtime.cancel({ uid })
  await expect.poll(() => runtime.getSnapshot().calls.every(({ endedAt }) => endedAt !== null)).toBe(true)
  expect(await type('/restore 1')).toMatchObject({ type: 'text' })
  expect(files()).toEqual({})
})

test('a checkpoint of another conversation restores only the files', async () => {
  const { send, items, files, agent, runtime, checkpoints } = setUp(
    [{ calls: [write('1')] }, { text: 'Done.' }],
    { answer: yes },
  )
  await send('Go.')
  const other = createCheckpointHost({ checkpoints, agent, runtime, conversation: 'another' })
  const before = items()
  expect((await other.list())[0]!.description).toMatch(/\(another conversation\)$/)
  expect(await other.restore(1, new AbortController().signal)).toBe(
    'Restored 1 file from checkpoint 1. To undo it: /restore 2',
  )
  expect(files()).toEqual({})
  expect(items()).toBe(before)
})

test('unknown numbers are errors', async () => {
  const { type } = setUp([], { answer: yes })
  expect(await type('/restore')).toEqual({
    type: 'text',
    text: 'There are no checkpoints of this folder yet.',
  })
  expect(await type('/restore 7')).toEqual({
    type: 'error',
    message: 'there is no checkpoint 7; /restore lists them',
  })
})

test('prompts that are sent during a restore wait until it has ended', async () => {
  const { agent, send, items, model } = setUp([{ text: 'One.' }, { text: 'Two.' }])
  await send('First.')
  let finish = (): void => {}
  const rewound = agent.rewind(0, {
    restore: () =>
      new Promise((resolve) => {
        finish = resolve
      }),
  })
  const answer = send('Second.')
  await expect(agent.rewind(0)).rejects.toThrow('rewind: a turn is running')
  expect(model.requests).toHaveLength(1)
  finish()
  await rewound
  await answer
  expect(items().map(({ type }) => type)).toEqual(['user', 'assistant'])
  expect(JSON.stringify(items())).not.toContain('First.')
})

test('a rewind is rejected while a turn is running, after the agent was closed, and for unknown items', async () => {
  const { agent, send, items } = setUp([
    { calls: [{ name: 'read', input: { path: '.' } }] },
    { text: 'One.' },
  ])
  const turn = send('Go.')
  await expect(agent.rewind(0)).rejects.toThrow('rewind: a turn is running; wait until it ends, or cancel it')
  await turn
  await expect(agent.rewind(99)).rejects.toThrow('expected the id of an item of the history, got 99')
  // The calls would be without results.
  const calling = items().find(({ type }) => type === 'assistant')!
  expect(agent.canRewind(calling.id)).toBe(false)
  await expect(agent.rewind(calling.id)).rejects.toThrow('expected the id')
  expect(items()).toHaveLength(4)
  await agent.rewind(items()[0]!.id, { restore: () => Promise.reject(new Error('no')) }).catch(() => {})
  expect(items()).toHaveLength(4)
  await agent.close()
  await expect(agent.rewind(0)).rejects.toThrow('the agent is closed')
})

test('a resumed session continues with the rewound history', async () => {
  const { base } = openWorkspace()
  const state = join(base, 'state')
  const common = {
    folder: state,
    redact: (value: unknown) => value,
    onProblem: (problem: string) => expect.unreachable(problem),
  }
  const session = await createSession({ ...common, project: base, model: 'test:scripted' })
  const saved = setUp([{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }], { options: { session } })
  await saved.send('First.')
  const kept = saved.items()
  await saved.send('Second.')
  await saved.agent.rewind(kept.at(-1)!.id)
  expect(saved.items()).toEqual(kept)
  await saved.send('Third.')
  const expected = saved.items()
  await saved.agent.close()
  await session.close()
  const resumed = await resumeSession({ ...common, id: session.id })
  expect(resumed.history.items).toEqual(expected)
  await resumed.session.close()
})
