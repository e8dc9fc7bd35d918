import {
  type Answer,
  createRuntime,
  defineTool,
  niceTool,
  type Question,
  type QuestionHandler,
  type RuntimeOptions,
  type ToolCall,
  timeoutTool,
} from '@curfew/core'
import { createFakeClock, recordTransitions, scriptedTool } from '@curfew/core/testing'
import { describe, expect, test } from 'vitest'

const parameters = {
  type: 'object',
  properties: { path: { type: 'string' }, content: { type: 'string' } },
} as const

function setUp(options: RuntimeOptions = {}) {
  const clock = createFakeClock()
  const runtime = createRuntime({ clock, log: () => {}, ...options })
  const recorder = recordTransitions(runtime)
  runtime.register(
    scriptedTool({ clock, name: 'write_file', parameters, script: [{ wait: 10 }, { return: 'written' }] }),
    scriptedTool({
      clock,
      name: 'read_file',
      parameters,
      readOnly: true,
      concurrent: true,
      script: [{ wait: 10 }],
    }),
    scriptedTool({
      clock,
      name: 'append',
      parameters,
      resources: ({ path }) => [String(path)],
      script: [{ wait: 10 }, { return: 'appended' }],
    }),
  )
  const run = (calls: Omit<ToolCall, 'id'>[], turn?: string) =>
    clock.runUntil(
      runtime.execute(
        calls.map((call, index) => ({ id: `c${index}`, ...call })),
        turn === undefined ? {} : { turn },
      ),
    )
  const write = (path: string, content = 'x') => ({ name: 'write_file', params: { path, content } })
  return { clock, runtime, recorder, run, write }
}

/** Answers from a list, and remembers what was asked. */
function person(...answers: Answer[]): QuestionHandler & { asked: Question[] } {
  const asked: Question[] = []
  const handler: QuestionHandler = (question) => {
    asked.push(question)
    return answers[asked.length - 1]
  }
  return Object.assign(handler, { asked })
}

const codes = (results: { status: string }[]) =>
  results.map((result) => ('code' in result ? result.code : result.status))

describe('fail closed', () => {
  test('with nobody to ask, the answer is no, and the text tells how to allow', async () => {
    const { run, write } = setUp()
    const [result] = await run([write('a.txt')])
    expect(result).toMatchObject({ status: 'error', code: 'DENIED', durationMs: 0 })
    expect(result!.content).toContain('nobody could be asked')
    expect(result!.content).toContain('approval.rules.allow')
    expect(result!.content).toContain("approval: 'allow'")
  })

  test('a rule that denies says so, and a no does not tell how to get round it', async () => {
    const ruled = setUp({ approval: { rules: { deny: ['write_file'] } } })
    expect((await ruled.run([ruled.write('a')]))[0]!.content).toContain(
      'the rule "write_file" denies it, and deny beats allow',
    )
    const asked = setUp({ ask: person('no') })
    const [refused] = await asked.run([asked.write('a')])
    expect(refused!.content).toContain('the person said no')
    expect(refused!.content).not.toContain('To allow it')
  })

  test.each([
    ['a handler that throws', () => Promise.reject(new Error('terminal is gone'))],
    ['a handler that has no answer', () => undefined],
    ['an answer that is none of the five', () => 'yes' as Answer],
    ['an answer that is nothing', () => null as never],
    [
      'an answer that cannot be read',
      () => Object.defineProperty({}, 'answer', { get: () => Object.create(null).x() }) as never,
    ],
    ['a reason that is no text', () => ({ answer: 'no', reason: Object.create(null) }) as never],
  ])('%s is a no', async (_name, ask) => {
    const { run, write } = setUp({ ask })
    expect(codes(await run([write('a')]))).toEqual(['DENIED'])
  })

  test('an unanswered question expires after ten minutes', async () => {
    const { clock, run, write } = setUp({ ask: () => new Promise(() => {}) })
    const [result] = await run([write('a')])
    expect(result).toMatchObject({ status: 'error', code: 'APPROVAL_EXPIRED' })
    expect(result!.content).toContain('To allow it')
    expect(clock.now()).toBe(600_000)
  })

  test('read-only skips the gate, a rule beats it', async () => {
    expect(codes(await setUp().run([{ name: 'read_file' }]))).toEqual(['success'])
    const denying = setUp({ approval: { rules: { deny: ['read_file'] } } })
    expect(codes(await denying.run([{ name: 'read_file' }]))).toEqual(['DENIED'])
    const asking = setUp({ approval: { rules: { ask: ['read_*'] } } })
    expect(codes(await asking.run([{ name: 'read_file' }]))).toEqual(['DENIED'])
  })

  test("approval: 'allow' opens the gate, 'deny' closes it without asking, deny rules hold either way", async () => {
    const open = setUp({ approval: 'allow' })
    expect(codes(await open.run([open.write('a')]))).toEqual(['success'])
    const ask = person('once')
    const closed = setUp({ approval: 'deny', ask })
    expect(codes(await closed.run([closed.write('a'), { name: 'read_file' }]))).toEqual(['DENIED', 'success'])
    expect(ask.asked).toEqual([])
    const ruled = setUp({ approval: { default: 'allow', rules: { deny: ['write_file(secret*)'] } } })
    expect(codes(await ruled.run([ruled.write('secret.txt'), ruled.write('a')]))).toEqual([
      'DENIED',
      'success',
    ])
  })
})

describe('rules', () => {
  test.each([
    ['write_file', 'allowed'],
    ['write_*', 'allowed'],
    ['*', 'allowed'],
    ['write_file(src/*)', 'allowed'],
    ['write_file(src/a.ts)', 'allowed'],
    ['write_file({"content":"x","path":"src/a.ts"})', 'allowed'],
    ['write_file(src/?.ts)', 'allowed'],
    ['write_file(test/*)', 'denied'],
    ['write_file(src/\\*)', 'denied'],
    ['read_file', 'denied'],
    ['write_file()', 'denied'],
  ])('allow %s: %s', async (rule, outcome) => {
    const { run, write } = setUp({ approval: { rules: { allow: [rule] } } })
    expect(codes(await run([write('src/a.ts')]))).toEqual([outcome === 'allowed' ? 'success' : 'DENIED'])
  })

  test.each(['src/../../etc/passwd', 'src/..', '..'])('a glob does not let %s out', async (path) => {
    const { run, write } = setUp({ approval: { rules: { allow: ['write_file(src/*)', 'write_file(..*)'] } } })
    expect(codes(await run([write(path)]))).toEqual(['DENIED'])
  })

  test.each([
    [['git', 'status'], 'success'],
    [['git'], 'success'],
    [['git', 'log', '--all'], 'success'],
    [['rm', 'git'], 'DENIED'],
    [['git status'], 'DENIED'],
    [['src/a'], 'success'],
    [['src/a', '/etc/passwd'], 'DENIED'],
    [['src/../x'], 'DENIED'],
    [['git', '../x'], 'DENIED'],
    [['a b'], 'success'],
    [['a', 'b'], 'DENIED'],
  ])('a list is matched word by word: %j: %s', async (args, outcome) => {
    const { clock, runtime } = setUp({
      approval: { rules: { allow: ['exec(git *)', 'exec(src/*)', 'exec(a\\ b)'] } },
    })
    const list = {
      type: 'object',
      properties: { args: { type: 'array', items: { type: 'string' } } },
    } as const
    runtime.register(scriptedTool({ clock, name: 'exec', parameters: list, script: [] }))
    const results = await clock.runUntil(runtime.execute([{ id: 'c', name: 'exec', params: { args } }]))
    expect(codes(results)).toEqual([outcome])
  })

  test('deny sees a list as a whole and its parts', async () => {
    const { clock, runtime } = setUp({
      approval: { default: 'allow', rules: { deny: ['exec(rm *)', 'exec(*.env)'] } },
    })
    const list = {
      type: 'object',
      properties: { args: { type: 'array', items: { type: 'string' } } },
    } as const
    runtime.register(scriptedTool({ clock, name: 'exec', parameters: list, script: [] }))
    const lists = [
      ['rm', '-rf'],
      ['cat', '.env'],
      ['cat', 'a'],
    ]
    const calls = lists.map((args, index) => ({ id: `${index}`, name: 'exec', params: { args } }))
    expect(codes(await clock.runUntil(runtime.execute(calls)))).toEqual(['DENIED', 'DENIED', 'success'])
  })

  test('allow does not look past what the schema declares, nor at .. inside JSON', async () => {
    const rules = { allow: ['write_file(a)', 'write_file({"content":*,"path":"src/*"})'] }
    const { run, write } = setUp({ approval: { rules } })
    const extra = { name: 'write_file', params: { path: 'a', sudo: true } }
    expect(codes(await run([write('a'), extra, write('src/b'), write('src/../b')]))).toEqual([
      'success',
      'DENIED',
      'success',
      'DENIED',
    ])
  })

  test('deny looks at every argument', async () => {
    const { run, write } = setUp({
      approval: { default: 'allow', rules: { deny: ['write_file(*password*)'] } },
    })
    expect(codes(await run([write('a', 'my password'), write('b', 'fine')]))).toEqual(['DENIED', 'success'])
  })

  test('deny > ask > allow, whatever their order', async () => {
    const ask = person('no')
    const rules = { allow: ['*'], ask: ['write_file(b)', 'write_file(c)'], deny: ['write_file(c)'] }
    const { run, write } = setUp({ approval: { rules }, ask })
    expect(codes(await run([write('a'), write('b'), write('c')]))).toEqual(['success', 'DENIED', 'DENIED'])
    expect(ask.asked).toMatchObject([{ askRule: 'write_file(b)' }])
  })
})

describe('the five answers', () => {
  test('once', async () => {
    const ask = person('once', 'no')
    const { run, write } = setUp({ ask })
    expect(codes(await run([write('a'), write('a')]))).toEqual(['success', 'DENIED'])
    expect(ask.asked).toMatchObject([
      {
        kind: 'approval',
        tool: 'write_file',
        callId: 'c0',
        params: { path: 'a', content: 'x' },
        destructive: true,
      },
      { callId: 'c1' },
    ])
  })

  test('for this turn: the tool, in later batches of the turn too, and in no other', async () => {
    const ask = person('turn', 'no')
    const { run, write } = setUp({ ask })
    expect(codes(await run([write('a'), write('b')], 't1'))).toEqual(['success', 'success'])
    expect(codes(await run([write('c')], 't1'))).toEqual(['success'])
    expect(codes(await run([write('a')], 't2'))).toEqual(['DENIED'])
    expect(ask.asked.length).toBe(2)
  })

  test('always: exactly this call, remembered as tool(arguments)', async () => {
    const remembered: string[] = []
    const ask = person('always', 'no')
    const approval = { remember: (rule: string) => void remembered.push(rule) }
    const { run, write } = setUp({ ask, approval })
    expect(codes(await run([write('a*')]))).toEqual(['success'])
    expect(codes(await run([write('a*')]))).toEqual(['success'])
    expect(codes(await run([write('ab')]))).toEqual(['DENIED'])
    expect(remembered).toEqual(['write_file({"content":"x","path":"a\\*"})'])
    const again = setUp({ approval: { rules: { allow: remembered } } })
    expect(codes(await again.run([again.write('a*'), again.write('ab')]))).toEqual(['success', 'DENIED'])
  })

  test('always with a wider rule of the person, unless it does not cover the call', async () => {
    const remembered: string[] = []
    const approval = { remember: (rule: string) => void remembered.push(rule) }
    const wide = setUp({ ask: person({ answer: 'always', rule: 'write_file(src/*)' }), approval })
    expect(codes(await wide.run([wide.write('src/a'), wide.write('src/b'), wide.write('lib/a')]))).toEqual([
      'success',
      'success',
      'DENIED',
    ])
    const wrong = setUp({ ask: person({ answer: 'always', rule: 'rm(*)' }), approval })
    await wrong.run([wrong.write('a')])
    expect(remembered).toEqual(['write_file(src/*)', 'write_file({"content":"x","path":"a"})'])
  })

  test('always cannot undo an ask rule: it holds for the turn', async () => {
    const remembered: string[] = []
    const approval = {
      rules: { ask: ['write_file'] },
      remember: (rule: string) => void remembered.push(rule),
    }
    const ask = person('always', 'no')
    const { run, write } = setUp({ ask, approval })
    expect(codes(await run([write('a'), write('a'), write('b')], 't1'))).toEqual([
      'success',
      'success',
      'DENIED',
    ])
    expect(codes(await run([write('a')], 't2'))).toEqual(['DENIED'])
    expect(remembered).toEqual([])
  })

  test('a rule that cannot be stored is reported and still holds', async () => {
    const messages: string[] = []
    const approval = { remember: () => Promise.reject(new Error('disk full')) }
    const { run, write } = setUp({
      ask: person('always'),
      approval,
      log: ({ message }) => messages.push(message),
    })
    expect(codes(await run([write('a'), write('a')]))).toEqual(['success', 'success'])
    expect(messages[0]).toContain('could not be stored')
  })

  test('no, with a reason that the model reads', async () => {
    const { run, write } = setUp({ ask: person({ answer: 'no', reason: 'use src/ instead' }) })
    const [result] = await run([write('a')])
    expect(result!.content).toContain('use src/ instead')
  })

  test('stop everything: the whole turn, and what comes after it', async () => {
    const { clock, runtime, run, write } = setUp({
      approval: { rules: { allow: ['append(o)', 'append(p)'] } },
      ask: () =>
        new Promise((resolve) => {
          clock.setTimer(5, () => resolve('stop'))
        }),
    })
    const other = runtime.execute([{ id: 'o', name: 'append', params: { path: 'o' } }], { turn: 'other' })
    const append = (path: string) => ({ name: 'append', params: { path } })
    const results = await run([append('p'), append('asked'), write('b')], 't')
    expect(results.map(({ status }) => status)).toEqual(['cancelled', 'cancelled', 'cancelled'])
    expect(codes(await run([{ name: 'read_file' }], 't'))).toEqual(['CANCELLED'])
    expect(codes(await clock.runUntil(other))).toEqual(['success'])
  })
})

describe('questions', () => {
  test('are put in call order, and later calls do not wait for the answers', async () => {
    const { clock, runtime, recorder } = setUp({
      ask: ({ callId }) =>
        new Promise((resolve) => {
          clock.setTimer(callId === 'c0' ? 1_000 : 100, () => resolve('once'))
        }),
    })
    const calls = ['a', 'b'].map((path, index) => ({ id: `c${index}`, name: 'append', params: { path } }))
    const running = runtime.execute([...calls, { id: 'c2', name: 'read_file', params: { path: 'z' } }])
    await clock.advance(150)
    expect(recorder.path('c0')).toEqual(['validating', 'awaiting_approval'])
    expect(recorder.path('c1')).toContain('success')
    // Without keys, a reader may read what c0 is going to change.
    expect(recorder.path('c2')).toEqual(['validating', 'scheduled'])
    expect(codes(await clock.runUntil(running))).toEqual(['success', 'success', 'success'])
  })

  test('open only after earlier conflicting calls have ended', async () => {
    const { clock, runtime } = setUp({ approval: { rules: { allow: ['append(*)'], ask: ['write_file'] } } })
    const askedAt: number[] = []
    runtime.onQuestion(() => {
      askedAt.push(clock.now())
      return 'once'
    })
    await clock.runUntil(
      runtime.execute([
        { id: 'c0', name: 'append', params: { path: 'a' } },
        { id: 'c1', name: 'write_file', params: { path: 'a' } },
      ]),
    )
    expect(askedAt).toEqual([10])
  })

  test('an answer for the turn settles the questions that are already open', async () => {
    const asked: string[] = []
    const taken: string[] = []
    const { clock, runtime } = setUp({
      ask: ({ callId }, { signal }) => {
        asked.push(callId)
        signal.addEventListener('abort', () => taken.push(callId))
        if (callId !== 'c0') return new Promise(() => {})
        return new Promise((resolve) => {
          clock.setTimer(50, () => resolve('turn'))
        })
      },
    })
    const calls = ['a', 'b', 'c'].map((path, index) => ({
      id: `c${index}`,
      name: 'append',
      params: { path },
    }))
    expect(codes(await clock.runUntil(runtime.execute(calls)))).toEqual(['success', 'success', 'success'])
    expect(asked).toEqual(['c0', 'c1', 'c2'])
    expect(taken).toEqual(['c0', 'c1', 'c2'])
    expect(clock.now()).toBe(60)
  })

  test('several can be asked; the first answer counts, and who leaves is not asked', async () => {
    const { clock, runtime, run, write } = setUp()
    const slow = runtime.onQuestion(() => new Promise(() => {}))
    const leave = runtime.onQuestion(() => 'once')
    expect(codes(await run([write('a')]))).toEqual(['success'])
    leave()
    slow()
    expect(codes(await run([write('a')]))).toEqual(['DENIED'])
    expect(clock.pending).toBe(0)
  })

  test('show in the snapshot', async () => {
    const { clock, runtime } = setUp({ ask: () => new Promise(() => {}) })
    void runtime.execute([{ id: 'c0', name: 'write_file', params: { path: 'a' } }])
    await clock.advance(5)
    expect(runtime.getSnapshot().calls[0]).toMatchObject({
      status: 'awaiting_approval',
      args: 'path="a"',
      question: { kind: 'approval', tool: 'write_file', exactRule: 'write_file({"path":"a"})' },
    })
    await runtime.close()
  })
})

describe('rules see the command inside timeout and nice', () => {
  const inner = (command_args: string[]) => ({ command_args, seconds: 5, dry_run: true })

  test.each([
    [['rm', '-rf', 'x']],
    [['nice', '-n', '5', 'rm', '-rf', 'x']],
    [['timeout', '5', 'env', 'A=1', 'rm', '-rf', 'x']],
    [['sh', '-c', 'cd y && rm -rf x']],
    [['sh', '-c', 'cd y;rm -rf x']],
    [['sh', '-c', 'cd y\nrm\t-rf x']],
    [['/bin/rm', '-rf', 'x']],
  ])('%j is denied by "*(rm *)", whichever tool runs it', async (command_args) => {
    const runtime = createRuntime({ approval: { default: 'allow', rules: { deny: ['*(rm *)'] } } })
    runtime.register(timeoutTool, niceTool)
    const results = await runtime.execute(
      ['timeout', 'nice'].map((name) => ({ id: name, name, params: inner(command_args) })),
    )
    expect(results).toMatchObject([{ code: 'DENIED' }, { code: 'DENIED' }])
    const [other] = await runtime.execute([{ id: '1', name: 'timeout', params: inner(['ls', 'farm', 'x']) }])
    expect(other).toMatchObject({ status: 'success' })
    await runtime.close()
  })

  test('however the arguments are nested', async () => {
    const runtime = createRuntime({ approval: { default: 'allow', rules: { deny: ['run(rm *)'] } } })
    runtime.register(
      defineTool({ name: 'run', description: 'Run.', parameters: { type: 'object' }, execute: () => 'ran' }),
    )
    const nested = [
      { c: ['rm', '-rf', 1] },
      { c: [['rm', '-rf']] },
      { o: { cmd: 'sudo rm -rf /' } },
      { c: 'true; rm x' },
    ]
    const results = await runtime.execute(
      nested.map((params, index) => ({ id: `${index}`, name: 'run', params })),
    )
    expect(results.map((result) => ('code' in result ? result.code : null))).toEqual(
      nested.map(() => 'DENIED'),
    )
    await runtime.close()
  })

  test('an allow rule holds for the command alone, not for one that runs another', async () => {
    const runtime = createRuntime({ approval: { rules: { allow: ['timeout(git *)'] } } })
    runtime.register(timeoutTool)
    const call = (id: string, command_args: string[]) => ({
      id,
      name: 'timeout',
      params: inner(command_args),
    })
    const results = await runtime.execute([
      call('1', ['git', 'status']),
      call('2', ['env', 'git', 'status']),
      call('3', ['gitx']),
    ])
    expect(results).toMatchObject([{ status: 'success' }, { code: 'DENIED' }, { code: 'DENIED' }])
    await runtime.close()
  })
})
