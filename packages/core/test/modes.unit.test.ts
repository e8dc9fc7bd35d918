import {
  type Conversation,
  type ConversationMode,
  createRuntime,
  defineTool,
  type Question,
  type RuntimeOptions,
  type ToolContext,
} from '@curfew/core'
import { describe, expect, test } from 'vitest'
import { codes } from './support/approval-setup.ts'

const modes = {
  ask: { name: 'ask' },
  plan: { name: 'plan', readOnly: true, advice: 'Propose a plan.' },
  'accept-edits': { name: 'accept-edits', allow: ['write_file'] },
} as const satisfies Record<string, ConversationMode>

const noArguments = { type: 'object', properties: {} } as const

function setUp(options: RuntimeOptions = {}) {
  const runtime = createRuntime({ log: () => {}, ...options })
  const ran: string[] = []
  /** What the tool `nest` does. */
  const inside = { run: async (_context: ToolContext): Promise<unknown> => undefined }
  const write = (name: string) =>
    defineTool({ name, description: 'Write.', parameters: noArguments, execute: () => ran.push(name) })
  runtime.register(
    write('write_file'),
    write('deploy'),
    defineTool({
      name: 'read_file',
      description: 'Read.',
      parameters: noArguments,
      readOnly: true,
      execute: () => ran.push('read_file'),
    }),
    defineTool({
      name: 'nest',
      description: 'Run something.',
      readOnly: true,
      execute: (_params, context) => inside.run(context),
    }),
  )
  return { runtime, ran, inside }
}

const run = (conversation: Pick<Conversation, 'execute'>, ...names: string[]) =>
  conversation.execute(names.map((name, index) => ({ id: `c${index}`, name, params: {} })))

const decide = (conversation: Conversation, name: string) =>
  conversation.decide({ id: 'c', name, params: {} })

/**
 * Written by hand. For each rule: the verdicts with the defaults allow, ask and deny, first without and then with a remembered answer.
 */
const table = `
  mode          tool        rule   without            remembered
  ask           read_file   none   allow allow allow  allow allow allow
  ask           read_file   allow  allow allow allow  allow allow allow
  ask           read_file   ask    ask   ask   ask    allow allow allow
  ask           read_file   deny   deny  deny  deny   deny  deny  deny
  ask           write_file  none   allow ask   deny   allow allow deny
  ask           write_file  allow  allow allow allow  allow allow allow
  ask           write_file  ask    ask   ask   ask    allow allow allow
  ask           write_file  deny   deny  deny  deny   deny  deny  deny
  ask           deploy      none   allow ask   deny   allow allow deny
  ask           deploy      allow  allow allow allow  allow allow allow
  ask           deploy      ask    ask   ask   ask    allow allow allow
  ask           deploy      deny   deny  deny  deny   deny  deny  deny
  plan          read_file   none   allow allow allow  allow allow allow
  plan          read_file   allow  allow allow allow  allow allow allow
  plan          read_file   ask    ask   ask   ask    allow allow allow
  plan          read_file   deny   deny  deny  deny   deny  deny  deny
  plan          write_file  none   deny  deny  deny   deny  deny  deny
  plan          write_file  allow  deny  deny  deny   deny  deny  deny
  plan          write_file  ask    deny  deny  deny   deny  deny  deny
  plan          write_file  deny   deny  deny  deny   deny  deny  deny
  plan          deploy      none   deny  deny  deny   deny  deny  deny
  plan          deploy      allow  deny  deny  deny   deny  deny  deny
  plan          deploy      ask    deny  deny  deny   deny  deny  deny
  plan          deploy      deny   deny  deny  deny   deny  deny  deny
  accept-edits  read_file   none   allow allow allow  allow allow allow
  accept-edits  read_file   allow  allow allow allow  allow allow allow
  accept-edits  read_file   ask    ask   ask   ask    allow allow allow
  accept-edits  read_file   deny   deny  deny  deny   deny  deny  deny
  accept-edits  write_file  none   allow allow deny   allow allow deny
  accept-edits  write_file  allow  allow allow allow  allow allow allow
  accept-edits  write_file  ask    ask   ask   ask    allow allow allow
  accept-edits  write_file  deny   deny  deny  deny   deny  deny  deny
  accept-edits  deploy      none   allow ask   deny   allow allow deny
  accept-edits  deploy      allow  allow allow allow  allow allow allow
  accept-edits  deploy      ask    ask   ask   ask    allow allow allow
  accept-edits  deploy      deny   deny  deny  deny   deny  deny  deny
`

const cases = table
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.trim().split(/\s+/))

test('the table is complete', () => {
  expect(cases).toHaveLength(3 * 3 * 4)
  expect(new Set(cases.map((row) => row.slice(0, 3).join()))).toHaveProperty('size', 36)
})

test.each(cases)('%s mode, %s, rule %s', async (mode, tool, rule, ...expected) => {
  const verdicts = []
  const ends = []
  for (const remembered of [[], [tool!]]) {
    for (const fallback of ['allow', 'ask', 'deny'] as const) {
      const rules = { remembered, ...(rule !== 'none' && { [rule!]: [tool] }) }
      const { runtime, ran } = setUp({ approval: { default: fallback, rules } })
      const conversation = runtime.conversation()
      conversation.setMode(modes[mode as keyof typeof modes])
      verdicts.push(decide(conversation, tool!).verdict)
      const [result] = await run(conversation, tool!)
      expect(ran).toEqual(result!.status === 'success' ? [tool] : [])
      ends.push(result!.status)
    }
  }
  expect(verdicts).toEqual(expected)
  // Nobody is available to be asked.
  expect(ends).toEqual(expected.map((verdict) => (verdict === 'allow' ? 'success' : 'error')))
})

test('a decision names the mode', () => {
  const { runtime } = setUp()
  const conversation = runtime.conversation()
  expect(decide(conversation, 'write_file')).not.toHaveProperty('mode')
  conversation.setMode(modes.plan)
  expect(decide(conversation, 'write_file')).toMatchObject({ verdict: 'deny', rule: null, mode: 'plan' })
  expect(decide(conversation, 'read_file')).not.toHaveProperty('mode')
  conversation.setMode(modes['accept-edits'])
  const allowed = { verdict: 'allow', rule: 'write_file', mode: 'accept-edits' }
  expect(decide(conversation, 'write_file')).toMatchObject(allowed)
  conversation.setMode(null)
  expect(decide(conversation, 'write_file')).not.toHaveProperty('mode')
})

test('rows and results name the mode', async () => {
  const { runtime } = setUp()
  const conversation = runtime.conversation()
  conversation.setMode(modes['accept-edits'])
  await run(conversation, 'write_file')
  expect(runtime.getSnapshot().calls.at(-1)!.allowedBy).toEqual({
    kind: 'mode',
    rule: 'write_file',
    mode: 'accept-edits',
  })
  conversation.setMode(modes.plan)
  const [result] = await run(conversation, 'write_file')
  expect(result!.content).toContain('the mode plan allows only read-only tools. Propose a plan.')
})

test('accept-edits can be limited to arguments', () => {
  const { runtime } = setUp()
  runtime.register(
    defineTool({
      name: 'edit',
      description: 'Edit.',
      parameters: { type: 'object', properties: { path: { type: 'string' } } },
      execute: () => null,
    }),
  )
  const conversation = runtime.conversation()
  conversation.setMode({ name: 'accept-edits', allow: ['edit(src/*)'] })
  const verdict = (path: string) => conversation.decide({ id: 'c', name: 'edit', params: { path } }).verdict
  expect([verdict('src/a.ts'), verdict('/etc/passwd'), verdict('src/../../x')]).toEqual([
    'allow',
    'ask',
    'ask',
  ])
})

describe('nested conversations', () => {
  /** The verdict for a tool in a conversation inside a call of another one. */
  async function nestedVerdict(
    outer: ConversationMode | null,
    inner: ConversationMode | null,
    { tool = 'write_file', ...options }: Parameters<Runtime['conversation']>[0] & { tool?: string } = {},
    runtimeOptions: RuntimeOptions = {},
  ) {
    const { runtime, inside } = setUp(runtimeOptions)
    const conversation = runtime.conversation()
    conversation.setMode(outer)
    let verdict: string | undefined
    inside.run = async (context) => {
      const child = context.conversation(options)
      if (inner !== null) child.setMode(inner)
      verdict = decide(child, tool).verdict
    }
    await run(conversation, 'nest')
    return verdict
  }
  type Runtime = ReturnType<typeof createRuntime>

  test.each([
    ['plan', null, 'deny'],
    ['plan', 'accept-edits', 'deny'],
    ['plan', 'ask', 'deny'],
    ['ask', 'plan', 'deny'],
    ['accept-edits', 'plan', 'deny'],
    ['accept-edits', null, 'allow'],
    ['accept-edits', 'accept-edits', 'allow'],
    ['accept-edits', 'ask', 'ask'],
    ['ask', 'accept-edits', 'ask'],
    ['ask', null, 'ask'],
    [null, 'accept-edits', 'allow'],
  ] as const)('outer %s, inner %s: write_file is %s', async (outer, inner, expected) => {
    const mode = (name: keyof typeof modes | null) => (name === null ? null : modes[name])
    expect(await nestedVerdict(mode(outer), mode(inner))).toBe(expected)
  })

  test('accept-edits does not loosen a stricter conversation inside', async () => {
    const edits = modes['accept-edits']
    expect(await nestedVerdict(edits, null, { approval: 'ask' })).toBe('ask')
    expect(await nestedVerdict(edits, null, { approval: 'deny' })).toBe('deny')
    expect(await nestedVerdict(edits, null, { approval: { rules: { ask: ['write_*'] } } })).toBe('ask')
    // Its own mode answers its own default.
    expect(await nestedVerdict(edits, edits, { approval: 'ask' })).toBe('allow')
  })

  test('accept-edits inside does not loosen a stricter conversation around it', async () => {
    const { runtime, inside } = setUp({ approval: 'allow' })
    const conversation = runtime.conversation({ approval: 'ask' })
    let verdict: string | undefined
    inside.run = async (context) => {
      const child = context.conversation()
      child.setMode(modes['accept-edits'])
      verdict = decide(child, 'write_file').verdict
    }
    await run(conversation, 'nest')
    expect(verdict).toBe('ask')
  })

  test('a mode that is set while a call runs applies to what is inside it', async () => {
    const { runtime, inside, ran } = setUp({ approval: 'allow' })
    const conversation = runtime.conversation()
    const ends: unknown[] = []
    inside.run = async (context) => {
      const child = context.conversation()
      ends.push(...codes(await run(child, 'write_file')))
      conversation.setMode(modes.plan)
      ends.push(...codes(await run(child, 'write_file')), ...codes(await run(context, 'write_file')))
      conversation.setMode(null)
      ends.push(...codes(await run(child, 'write_file')))
    }
    await run(conversation, 'nest')
    expect(ends).toEqual(['success', 'DENIED', 'DENIED', 'success'])
    expect(ran).toHaveLength(2)
  })

  test('a mode does not affect other conversations', async () => {
    const { runtime } = setUp({ approval: 'allow' })
    const conversation = runtime.conversation()
    conversation.setMode(modes.plan)
    expect(codes(await run(runtime.conversation(), 'write_file'))).toEqual(['success'])
    expect(codes(await run(runtime, 'write_file'))).toEqual(['success'])
  })
})

describe('switching', () => {
  test('an open question stays open, and its answer counts', async () => {
    const questions: Question[] = []
    const { runtime, ran } = setUp({
      ask: (question) => {
        questions.push(question)
        return 'later'
      },
    })
    const conversation = runtime.conversation()
    const pending = run(conversation, 'write_file', 'deploy')
    await expect.poll(() => questions.length).toBe(1)
    for (const mode of [modes.plan, modes['accept-edits'], modes.plan]) {
      conversation.setMode(mode)
      // A changed rule decides open questions again, but a mode does not.
      runtime.rules.add('allow', 'something_else')
      expect(runtime.getSnapshot().questions).toHaveLength(1)
    }
    expect(runtime.answer(questions[0]!.id, 'once')).toBe(true)
    expect(codes(await pending)).toEqual(['success', 'DENIED'])
    expect(ran).toEqual(['write_file'])
  })

  test('in plan mode, neither a new rule nor an answer to another question allows an open one; a deny rule ends it', async () => {
    const { runtime, ran } = setUp({ ask: () => 'later' })
    const conversation = runtime.conversation()
    const first = run(conversation, 'write_file')
    const second = run(conversation, 'write_file')
    await expect.poll(() => runtime.getSnapshot().questions.length).toBe(2)
    conversation.setMode(modes.plan)
    runtime.rules.add('allow', 'write_file')
    const [one, two] = runtime.getSnapshot().questions
    runtime.answer(one!.id, 'always')
    expect(codes(await first)).toEqual(['success'])
    expect(runtime.getSnapshot().questions.map(({ id }) => id)).toEqual([two!.id])
    runtime.rules.add('deny', 'write_file')
    expect(codes(await second)).toEqual(['DENIED'])
    expect(ran).toHaveLength(1)
  })

  test('plan mode also stops calls of a batch that have not started', async () => {
    const { runtime, ran } = setUp({ approval: 'allow' })
    const conversation = runtime.conversation()
    runtime.register(
      defineTool({ name: 'switch', description: 'Switch.', execute: () => conversation.setMode(modes.plan) }),
    )
    const results = await run(conversation, 'write_file', 'switch', 'write_file', 'read_file')
    expect(codes(results)).toEqual(['success', 'success', 'DENIED', 'success'])
    expect(ran).toEqual(['write_file', 'read_file'])
  })

  test.each([
    ['a person has approved', 'ask', ['success']],
    ['a rule has allowed', 'allow', ['DENIED']],
  ] as const)('plan mode and a queued call that %s', async (_name, approval, expected) => {
    let release = (_value?: unknown): void => {}
    const { runtime } = setUp({ approval, ask: () => 'once' })
    runtime.register(
      defineTool({
        name: 'upload',
        description: 'Upload.',
        maxConcurrent: 1,
        execute: () =>
          new Promise((resolve) => {
            release = resolve
          }),
      }),
    )
    const running = run(runtime, 'upload')
    await expect.poll(() => runtime.getSnapshot().calls[0]!.status).toBe('executing')
    const conversation = runtime.conversation()
    const queued = run(conversation, 'upload')
    await expect.poll(() => runtime.getSnapshot().calls[1]!.status).toBe('scheduled')
    conversation.setMode(modes.plan)
    release()
    await running
    await expect.poll(() => runtime.getSnapshot().calls[1]!.status).not.toBe('scheduled')
    release()
    expect(codes(await queued)).toEqual(expected)
  })

  test('a turn grant does not answer plan mode', async () => {
    const { runtime } = setUp({ ask: () => 'turn' })
    const conversation = runtime.conversation()
    const turn = conversation.turn()
    expect(codes(await run(turn, 'write_file'))).toEqual(['success'])
    conversation.setMode(modes.plan)
    expect(codes(await run(turn, 'write_file'))).toEqual(['DENIED'])
  })
})

test('a person may run any tool in plan mode, but models beneath it may not', async () => {
  const { runtime, inside } = setUp()
  const conversation = runtime.conversation()
  conversation.setMode(modes.plan)
  expect(codes(await run(conversation.turn({ origin: 'person' }), 'write_file'))).toEqual(['success'])
  let nested: unknown[] = []
  inside.run = async (context) => {
    nested = codes(await run(context.conversation(), 'write_file'))
  }
  await run(conversation.turn({ origin: 'person' }), 'nest')
  expect(nested).toEqual(['DENIED'])
})

test('a deny rule of a conversation also applies to a person if the default is deny', async () => {
  const { runtime } = setUp({ approval: 'deny' })
  const conversation = runtime.conversation({ approval: { rules: { deny: ['write_file'] } } })
  const turn = conversation.turn({ origin: 'person' })
  expect(codes(await run(turn, 'write_file', 'deploy'))).toEqual(['DENIED', 'success'])
})

test.each([
  [{}, 'mode.name'],
  [{ name: '' }, 'mode.name'],
  [{ name: 'x', readOnly: 'yes' }, 'mode.readOnly'],
  [{ name: 'x', allow: 'write_file' }, 'mode.allow'],
  [{ name: 'x', allow: ['write_file('] }, 'mode.allow[0]'],
  [{ name: 'x', allow: [7] }, 'mode.allow[0]'],
  [{ name: 'x', advice: 1 }, 'mode.advice'],
  [{ name: 'x', deny: [] }, 'mode.deny'],
  ['plan', 'mode'],
])('rejects %j', (mode, field) => {
  const { runtime } = setUp()
  const conversation = runtime.conversation()
  conversation.setMode(modes.plan)
  expect(() => conversation.setMode(mode as ConversationMode)).toThrow(`${field}: `)
  // The mode before is unchanged.
  expect(decide(conversation, 'write_file').mode).toBe('plan')
})
