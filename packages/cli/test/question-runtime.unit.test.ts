import { createRuntime, defineTool, type Runtime, type RuntimeOptions, type ToolCall } from '@curfew/core'
import { createFakeClock, type FakeClock } from '@curfew/core/testing'
import { expect, onTestFinished, test } from 'vitest'
import { QuestionPanel } from '../src/tui/questions/question-panel.ts'
import { keyOf } from './panel-setup.ts'

interface RuntimeSetup {
  readonly runtime: Runtime
  readonly clock: FakeClock
  readonly panel: QuestionPanel
  readonly ran: string[]
  readonly remembered: string[]
  readonly draft: { text: string }
  press(...keys: string[]): Promise<void>
  execute(...commands: string[]): Promise<string[]>
}

/** A panel for a real runtime with a tool that needs approval. */
function setUp(options: RuntimeOptions = {}): RuntimeSetup {
  const clock = createFakeClock()
  const ran: string[] = []
  const remembered: string[] = []
  const draft = { text: '' }
  const approval = { remember: (rule: string) => void remembered.push(rule) }
  const runtime = createRuntime({ clock, log: () => {}, approval, ...options })
  runtime.onQuestion(() => 'later')
  runtime.register(
    defineTool({
      name: 'run',
      description: 'Runs a command.',
      parameters: {
        type: 'object',
        properties: { command: { type: 'string' } },
        required: ['command'],
      } as const,
      resources: () => [],
      execute: ({ command }) => {
        ran.push(command)
        return `ran ${command}`
      },
    }),
    defineTool({
      name: 'ask',
      description: 'Asks.',
      readOnly: true,
      parameters: { type: 'object', properties: {} } as const,
      execute: (_params, { ask }) => ask({ message: 'Which branch?', choices: ['main', 'next'] }),
    }),
    defineTool({
      name: 'deploy',
      description: 'Deploys.',
      readOnly: true,
      secrets: ['TOKEN'],
      parameters: { type: 'object', properties: {} } as const,
      execute: async (_params, { secret }) => `has ${(await secret('TOKEN')).length} characters`,
    }),
  )
  const panel = new QuestionPanel({
    runtime,
    clock,
    isTyping: () => draft.text !== '',
    onDraft: (text) => {
      draft.text += text
    },
  })
  let visible: number | undefined
  panel.subscribe(() => {
    const id = panel.getSnapshot()?.question.id
    if (id !== undefined && id !== visible) {
      panel.setVisible(id, true)
      panel.setPage({ rows: 10, maxFirstLine: 0, isComplete: true })
    }
    visible = id
  })
  onTestFinished(async () => {
    panel.dispose()
    await runtime.close()
  })
  return {
    runtime,
    clock,
    panel,
    ran,
    remembered,
    draft,
    async press(...keys) {
      for (const key of keys) {
        await clock.advance(1_000)
        panel.handleKey(...keyOf(key))
        await clock.advance(1_000)
      }
    },
    async execute(...commands) {
      const calls = commands.map(
        (command, index): ToolCall => ({ id: `${index}`, name: 'run', params: { command } }),
      )
      const results = await runtime.execute(calls, { turn: 'turn' })
      return results.map(({ content }) => content)
    },
  }
}

test('three calls of a batch are asked about one by one', async () => {
  const { execute, press, panel, ran } = setUp()
  const results = execute('a', 'b', 'c')
  const numbers: unknown[] = []
  panel.subscribe(() => {
    const snapshot = panel.getSnapshot()
    const number = snapshot && `${snapshot.position} of ${snapshot.total}`
    if (numbers.at(-1) !== number) numbers.push(number)
  })
  await press('y', 'n', 't', 'o', 'o', 'return', 'y')
  expect(await results).toEqual(['ran a', 'DENIED: run was denied: too.', 'ran c'])
  expect(ran).toEqual(['a', 'c'])
  expect(numbers).toEqual(['1 of 3', '2 of 3', '3 of 3', null])
})

test('always remembers the rule that was shown, and nothing else', async () => {
  const { execute, press, panel, remembered, runtime, ran } = setUp()
  const first = execute('npm test')
  await press('a')
  expect(panel.getSnapshot()?.form).toMatchObject({ line: { text: 'run(npm test)' }, check: { problem: '' } })
  await press('return')
  await first
  expect(remembered).toEqual(['run(npm test)'])
  const second = execute('npm run build', 'npm test', 'npm ci')
  await press('a', 'ctrl+u', ...'run(yarn *)')
  expect(panel.getSnapshot()?.form).toMatchObject({
    check: { problem: 'This rule does not match the call that is asked about.' },
  })
  await press('return', 'ctrl+u', ...'run(npm *)', 'return')
  await second
  expect(remembered).toEqual(['run(npm test)', 'run(npm *)'])
  expect(runtime.rules.list().map(({ rule }) => rule)).toEqual(remembered)
  expect([ran.length, panel.getSnapshot()]).toEqual([4, null])
})

test('turn allows what was shown until the turn ends', async () => {
  const { execute, press, panel, remembered, runtime, clock } = setUp()
  const first = execute('a', 'b')
  await press('t')
  expect(panel.getSnapshot()?.form).toMatchObject({ line: { text: 'run' } })
  await press('return')
  expect(await first).toEqual(['ran a', 'ran b'])
  const other = runtime.execute([{ id: '1', name: 'run', params: { command: 'c' } }], { turn: 'other' })
  await clock.settle()
  expect(panel.getSnapshot()?.question).toMatchObject({ params: { command: 'c' } })
  await press('n', 'return')
  await other
  expect([remembered, runtime.rules.list()]).toEqual([[], []])
})

test('stop ends the turn, and the other questions disappear', async () => {
  const { execute, press, panel, ran } = setUp()
  const results = execute('a', 'b', 'c')
  await press('s')
  expect(await results).toEqual(Array(3).fill(expect.stringContaining('CANCELLED')))
  expect([ran, panel.getSnapshot()]).toEqual([[], null])
})

test('a question that expires disappears, and the reason that was being typed is kept', async () => {
  const { execute, press, panel, draft, clock } = setUp({ approvalTimeout: 60_000 })
  const results = execute('a')
  await press('n', 'l', 'a', 't', 'e')
  await clock.advance(60_000)
  expect(await results).toEqual([expect.stringContaining('APPROVAL_EXPIRED')])
  expect([panel.getSnapshot(), draft.text]).toEqual([null, 'late'])
})

test('a call that is cancelled, or answered elsewhere, is no longer asked about', async () => {
  const { execute, press, panel, runtime, clock } = setUp()
  const results = execute('a', 'b', 'c')
  await clock.settle()
  const [first, second] = runtime.getSnapshot().questions
  runtime.cancel({ uid: first!.callUid! })
  await clock.settle()
  expect(panel.getSnapshot()).toMatchObject({ question: { id: second!.id }, position: 2, total: 3 })
  runtime.answer(second!.id, 'once')
  await press('y')
  expect(await results).toEqual([expect.stringContaining('CANCELLED'), 'ran b', 'ran c'])
})

test('choices and secrets reach the tools, and the secret appears in no snapshot', async () => {
  const stored: unknown[] = []
  const { runtime, press, panel, clock } = setUp({
    vault: {
      canStore: true,
      read: async () => (stored.length > 0 ? { kind: 'found', value: 's3cr3t-value' } : { kind: 'missing' }),
      store: async (name, value, use) => void stored.push([name, value, use]),
      allow: async () => {},
    },
  })
  const snapshots: string[] = []
  panel.subscribe(() => snapshots.push(JSON.stringify(panel.getSnapshot())))
  const asked = runtime.execute([{ id: '1', name: 'ask', params: {} }])
  await press('2')
  expect(await asked).toMatchObject([{ content: 'next' }])
  const deployed = runtime.execute([{ id: '1', name: 'deploy', params: {} }])
  await clock.advance(1_000)
  panel.paste('s3cr3t-value\n')
  await press('return')
  expect(await deployed).toMatchObject([{ content: 'has 12 characters' }])
  expect(stored).toEqual([['TOKEN', 's3cr3t-value', 'tool:deploy']])
  expect(snapshots.length).toBeGreaterThan(4)
  expect(snapshots.join()).not.toContain('s3cr3t')
})
