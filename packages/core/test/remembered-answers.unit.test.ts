import { createRuntime, defineTool, type RuntimeOptions } from '@curfew/core'
import { describe, expect, test } from 'vitest'
import { codes, person, setUp } from './support/approval-setup.ts'

/** A runtime whose remembered answers and log are recorded. */
function recording(options: RuntimeOptions & { approval?: object } = {}) {
  const stored: string[] = []
  const removed: string[] = []
  const messages: string[] = []
  const approval = {
    remember: (rule: string) => void stored.push(rule),
    forget: (rule: string) => void removed.push(rule),
    ...options.approval,
  }
  const log = ({ message }: { message: string }): void => void messages.push(message)
  return { ...setUp({ log, ...options, approval }), stored, removed, messages }
}

describe('a remembered answer', () => {
  test('given to a question that an ask rule caused is remembered', async () => {
    const ask = person('always', 'no')
    const { run, write, stored } = recording({ ask, approval: { rules: { ask: ['write_file'] } } })
    expect(codes(await run([write('a'), write('a'), write('b')], 't1'))).toEqual([
      'success',
      'success',
      'DENIED',
    ])
    expect(codes(await run([write('a')], 't2'))).toEqual(['success'])
    expect(stored).toEqual(['write_file({"content":"x","path":"a"})'])
    expect(ask.asked).toHaveLength(2)
  })

  test('answers what a rule or the default asks, and nothing else', async () => {
    const remembered = ['write_file(a)']
    const byDefault = setUp({ approval: { rules: { remembered } } })
    expect(codes(await byDefault.run([byDefault.write('a'), byDefault.write('b')]))).toEqual([
      'success',
      'DENIED',
    ])
    const byRule = setUp({ approval: { default: 'deny', rules: { remembered, ask: ['write_file'] } } })
    expect(codes(await byRule.run([byRule.write('a'), byRule.write('b')]))).toEqual(['success', 'DENIED'])
    const denied = setUp({ approval: { rules: { remembered, deny: ['write_*'] } } })
    expect(codes(await denied.run([denied.write('a')]))).toEqual(['DENIED'])
    const deniedByDefault = setUp({ approval: { default: 'deny', rules: { remembered } } })
    expect(codes(await deniedByDefault.run([deniedByDefault.write('a')]))).toEqual(['DENIED'])
    const allowedByRule = setUp({
      approval: { default: 'deny', rules: { remembered, allow: ['write_file'] } },
    })
    expect(codes(await allowedByRule.run([allowedByRule.write('a')]))).toEqual(['success'])
  })

  test('is stored before close() returns', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const stored: string[] = []
    const remember = async (rule: string): Promise<void> => {
      await released
      stored.push(rule)
    }
    const { run, write, runtime } = setUp({ ask: person('always'), approval: { remember } })
    await run([write('a')])
    const closed = runtime.close().then(() => [...stored])
    release()
    expect(await closed).toEqual(['write_file({"content":"x","path":"a"})'])
  })

  test('applies only while isRemembered returns true', async () => {
    let valid = true
    const approval = { rules: { remembered: ['write_file'] }, isRemembered: () => valid }
    const { run, write, runtime } = setUp({ approval })
    expect(codes(await run([write('a')]))).toEqual(['success'])
    valid = false
    expect(codes(await run([write('a')]))).toEqual(['DENIED'])
    expect(runtime.rules.list()).toEqual([])
  })

  test('with a secret in its arguments is neither stored nor remembered beyond the turn', async () => {
    const stored: string[] = []
    const runtime = createRuntime({
      ask: () => 'always',
      approval: { remember: (rule) => void stored.push(rule) },
      log: () => {},
    })
    runtime.hideSecret('KEY', 'correct-horse-battery')
    runtime.register(
      defineTool({
        name: 'send',
        description: 'Send a text.',
        parameters: { type: 'object', properties: { text: { type: 'string' } } },
        execute: () => 'sent',
      }),
    )
    const params = { text: 'key=correct-horse-battery' }
    const [result] = await runtime.execute([{ id: '1', name: 'send', params }])
    expect(result).toMatchObject({ status: 'success' })
    expect(stored).toEqual([])
    expect(runtime.rules.list()).toEqual([])
    await runtime.close()
  })
})

describe('runtime.rules', () => {
  test('lists, adds and removes rules, which apply to the next call', async () => {
    const { runtime, run, write } = setUp({ approval: { rules: { allow: ['write_file'] } } })
    expect(codes(await run([write('a')]))).toEqual(['success'])
    runtime.rules.add('deny', 'write_file(a)')
    expect(runtime.rules.list()).toEqual([
      { verdict: 'deny', rule: 'write_file(a)', source: 'added' },
      { verdict: 'allow', rule: 'write_file', source: 'options' },
    ])
    expect(codes(await run([write('a'), write('b')]))).toEqual(['DENIED', 'success'])
    expect(runtime.rules.remove('deny', 'write_file(a)')).toBe(true)
    expect(runtime.rules.remove('deny', 'write_file(a)')).toBe(false)
    expect(codes(await run([write('a')]))).toEqual(['success'])
    expect(() => runtime.rules.add('allow', 'a b')).toThrow(/^rule: expected a rule/)
  })

  test('remove removes a remembered answer, also where it is stored', async () => {
    const { runtime, run, write, removed } = recording({
      approval: { rules: { remembered: ['write_file'] } },
    })
    expect(codes(await run([write('a')]))).toEqual(['success'])
    expect(runtime.rules.remove('allow', 'write_file')).toBe(true)
    expect(runtime.rules.remove('allow', 'write_file')).toBe(false)
    expect(codes(await run([write('a')]))).toEqual(['DENIED'])
    expect(removed).toEqual(['write_file'])
  })

  test('an answer that cannot be removed from its store is reported and no longer applies', async () => {
    const { runtime, run, write, messages } = recording({
      approval: { rules: { remembered: ['write_file'] }, forget: () => Promise.reject(new Error('disk')) },
    })
    expect(runtime.rules.remove('allow', 'write_file')).toBe(true)
    expect(codes(await run([write('a')]))).toEqual(['DENIED'])
    expect(messages).toEqual(['a remembered answer could not be removed'])
  })

  test('a change answers open questions', async () => {
    const { clock, runtime } = setUp({ ask: () => new Promise(() => {}) })
    const calls = ['a', 'b', 'c'].map((path, index) => ({
      id: `c${index}`,
      name: 'append',
      params: { path },
    }))
    const running = runtime.execute(calls)
    await clock.advance(5)
    runtime.rules.add('allow', 'append(a)')
    runtime.rules.add('deny', 'append(b)')
    runtime.rules.add('allow', 'append(c)')
    const results = await clock.runUntil(running)
    expect(codes(results)).toEqual(['success', 'DENIED', 'success'])
    expect(results[1]!.content).toContain('the rule "append(b)" denies it')
    expect(clock.now()).toBe(15)
  })
})

test.each([
  [{ rules: { remembered: 'write_file' } }, 'approval.rules.remembered: expected an array of rules'],
  [{ rules: { remembered: ['a b'] } }, 'approval.rules.remembered[0]: expected a rule'],
  [{ forget: 1 }, 'approval.forget: expected a function'],
  [{ isRemembered: true }, 'approval.isRemembered: expected a function'],
])('%j is rejected', (approval, message) => {
  expect(() => createRuntime({ approval: approval as never })).toThrow(message)
})
