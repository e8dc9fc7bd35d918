import type { Answer } from '@curfew/core'
import { describe, expect, test } from 'vitest'
import { codes, person, setUp } from './support/approval-setup.ts'

describe('fail closed', () => {
  test('without a question handler, the call is denied and the result explains how to allow it', async () => {
    const { run, write } = setUp()
    const [result] = await run([write('a.txt')])
    expect(result).toMatchObject({ status: 'error', code: 'DENIED', durationMs: 0 })
    expect(result!.content).toContain('nobody is available to answer')
    expect(result!.content).toContain('approval.rules.allow')
    expect(result!.content).toContain("approval: 'allow'")
  })

  test('a denial names its rule, and a no does not explain how to bypass it', async () => {
    const ruled = setUp({ approval: { rules: { deny: ['write_file'] } } })
    expect((await ruled.run([ruled.write('a')]))[0]!.content).toContain('the rule "write_file" denies it')
    const asked = setUp({ ask: person('no') })
    const [denied] = await asked.run([asked.write('a')])
    expect(denied!.content).toContain('the person denied it')
    expect(denied!.content).not.toContain('To allow it')
  })

  test.each([
    ['a handler that throws', () => Promise.reject(new Error('terminal is gone'))],
    ['a handler without an answer', () => undefined],
    ['an answer that is none of the five', () => 'yes' as Answer],
    ['null', () => null as never],
    [
      'an answer that cannot be read',
      () => Object.defineProperty({}, 'answer', { get: () => Object.create(null).x() }) as never,
    ],
    ['a reason that is not a string', () => ({ answer: 'no', reason: Object.create(null) }) as never],
  ])('%s denies the call', async (_name, ask) => {
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

  test('a read-only tool needs no approval unless a rule requires it', async () => {
    expect(codes(await setUp().run([{ name: 'read_file' }]))).toEqual(['success'])
    const denying = setUp({ approval: { rules: { deny: ['read_file'] } } })
    expect(codes(await denying.run([{ name: 'read_file' }]))).toEqual(['DENIED'])
    const asking = setUp({ approval: { rules: { ask: ['read_*'] } } })
    expect(codes(await asking.run([{ name: 'read_file' }]))).toEqual(['DENIED'])
  })

  test("approval: 'allow' runs without asking, 'deny' denies without asking, and deny rules always apply", async () => {
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

describe('the five answers', () => {
  test('once applies to one call', async () => {
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

  test('turn applies to the tool in this and later batches of the turn', async () => {
    const ask = person('turn', 'no')
    const { run, write } = setUp({ ask })
    expect(codes(await run([write('a'), write('b')], 't1'))).toEqual(['success', 'success'])
    expect(codes(await run([write('c')], 't1'))).toEqual(['success'])
    expect(codes(await run([write('a')], 't2'))).toEqual(['DENIED'])
    expect(ask.asked.length).toBe(2)
  })

  test('always applies to exactly this call and is remembered as tool(arguments)', async () => {
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

  test('always accepts a wider rule only if it matches the call', async () => {
    const remembered: string[] = []
    const approval = { remember: (rule: string) => void remembered.push(rule) }
    const wide = setUp({ ask: person({ answer: 'always', rule: 'write_file(src/*)' }), approval })
    expect(codes(await wide.run([wide.write('src/a'), wide.write('src/b'), wide.write('lib/a')]))).toEqual([
      'success',
      'success',
      'DENIED',
    ])
    const mismatched = setUp({ ask: person({ answer: 'always', rule: 'rm(*)' }), approval })
    await mismatched.run([mismatched.write('a')])
    expect(remembered).toEqual(['write_file(src/*)', 'write_file({"content":"x","path":"a"})'])
  })

  test('a person can check a rule before it is the answer', async () => {
    const checked: unknown[] = []
    const { run, write, runtime } = setUp({
      ask({ callUid }) {
        for (const rule of ['write_file(src/*)', 'write_file(lib/*)', 'write_*', 'rm']) {
          checked.push(runtime.rules.covers(rule, callUid!))
        }
        checked.push(runtime.rules.covers('write_file', callUid! + 1))
        expect(() => runtime.rules.covers('write file', callUid!)).toThrow(
          'rule: expected a rule such as "tool" or "tool(glob)", got "write file"',
        )
        return 'no'
      },
    })
    await run([write('src/a')])
    expect(checked).toEqual([true, false, true, false, false])
    expect(runtime.rules.list()).toEqual([])
  })

  test('a question states whether "always" is remembered', async () => {
    const asked: unknown[] = []
    const { clock, run, write, runtime } = setUp({
      ask(question) {
        asked.push(question.kind === 'approval' && question.canRemember)
        return 'no'
      },
    })
    await run([write('a')])
    runtime.hideSecret('TOKEN', 'abcdefgh12345678')
    await run([write('a', 'abcdefgh12345678')])
    const forgetful = runtime.conversation({ rememberAnswers: false })
    await clock.runUntil(forgetful.execute([{ id: '1', ...write('a') }]))
    expect(asked).toEqual([true, false, false])
  })

  test('a rule that cannot be stored is reported and still applies', async () => {
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

  test('no passes its reason to the model', async () => {
    const { run, write } = setUp({ ask: person({ answer: 'no', reason: 'use src/ instead' }) })
    const [result] = await run([write('a')])
    expect(result!.content).toContain('use src/ instead')
  })

  test("'stop' ends the whole turn and rejects its later calls", async () => {
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
  test('are asked in call order, and do not block later calls', async () => {
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
    // Without keys, c2 may conflict with c0.
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
    const withdrawn: string[] = []
    const { clock, runtime } = setUp({
      ask: ({ callId }, { signal }) => {
        asked.push(callId)
        signal.addEventListener('abort', () => withdrawn.push(callId))
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
    expect(withdrawn).toEqual(['c0', 'c1', 'c2'])
    expect(clock.now()).toBe(60)
  })

  test('go to all handlers; the first answer counts, and removed handlers are not asked', async () => {
    const { clock, runtime, run, write } = setUp()
    const removeSlow = runtime.onQuestion(() => new Promise(() => {}))
    const removeFast = runtime.onQuestion(() => 'once')
    expect(codes(await run([write('a')]))).toEqual(['success'])
    removeFast()
    removeSlow()
    expect(codes(await run([write('a')]))).toEqual(['DENIED'])
    expect(clock.pending).toBe(0)
  })

  test('are part of the snapshot', async () => {
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
