import { describe, expect, test } from 'vitest'
import { call, setUp } from './support/conversation-setup.ts'

describe('decide', () => {
  test('returns verdict, rule and question without running anything', async () => {
    const { runtime } = setUp({ approval: { rules: { allow: ['write(*)'], deny: ['hang'] } } })
    expect(runtime.decide(call('read'))).toEqual({
      verdict: 'allow',
      rule: null,
      question: null,
      error: null,
    })
    expect(runtime.decide(call('write'))).toMatchObject({ verdict: 'allow', rule: 'write(*)' })
    expect(runtime.decide(call('hang'))).toMatchObject({ verdict: 'deny', rule: 'hang' })
    expect(runtime.decide(call('wipe'))).toMatchObject({
      verdict: 'ask',
      question: { kind: 'approval', tool: 'wipe', params: { path: '/' } },
    })
    expect(runtime.decide(call('nothing'))).toMatchObject({
      verdict: 'deny',
      error: { code: 'TOOL_NOT_FOUND' },
    })
    expect(runtime.decide(call('wipe', { path: 1 }))).toMatchObject({
      verdict: 'deny',
      error: { code: 'INVALID_PARAMS' },
    })
    // Loading a stub needs no approval.
    const stubs = runtime.conversation({ view: 'stub' })
    expect(stubs.decide(call('wipe'))).toMatchObject({ verdict: 'allow', error: null })
    expect(stubs.decide(call('wipe', { path: 'a' }))).toMatchObject({ verdict: 'ask' })
    expect(runtime.getSnapshot()).toMatchObject({ calls: [], questions: [] })
  })
})
