import { scriptedTool } from '@curfew/core/testing'
import { describe, expect, test } from 'vitest'
import { codes } from './support/approval-setup.ts'
import { call, setUp } from './support/conversation-setup.ts'

describe("a model's mistakes are results", () => {
  test('repeated ids, empty ids and broken JSON yield one result per call', async () => {
    const { clock, runtime } = setUp()
    const results = await clock.runUntil(
      runtime.execute([
        call('read', {}, 'same'),
        call('read', {}, 'same'),
        call('read', {}, ''),
        { name: 'read' } as never,
        call('read', '{"path": '),
        call('unknown'),
      ]),
    )
    expect(results.map(({ id }) => id)).toEqual(['same', 'same', '', '', 'read', 'unknown'])
    expect(codes(results)).toEqual([...Array(4).fill('success'), 'INVALID_PARAMS', 'TOOL_NOT_FOUND'])
  })

  test.each([
    ['{"path": ', 'Unexpected end of JSON input, after "{\\"path\\": ". '],
    [`{"path":"${'x'.repeat(90)}" "n":1}`, `line 1 column 102), after "${'x'.repeat(38)}\\" ". `],
    [
      '{"path":"a',
      'Unterminated string in JSON at position 10 (line 1 column 11), after "{\\"path\\":\\"a". ',
    ],
    ['path=a', /Unexpected token 'p', "path=a" is not valid JSON\. /],
    ['{"path":"canary-value', ', after "{\\"path\\":\\"[secret TOKEN]". '],
    ['{"path":"a"}', 'params is a string: parse it as JSON first'],
  ])('%s: the model learns what is wrong with its arguments, and where', async (params, problem) => {
    const { clock, runtime } = setUp()
    runtime.hideSecret('TOKEN', 'canary-value')
    const [result] = await clock.runUntil(runtime.execute([call('read', params)]))
    expect(result!.content).toMatch(problem)
    expect(result!.content.includes('parse it as JSON')).toBe(params.endsWith('}') && !params.includes('"n"'))
  })

  test('cancel reaches one of two calls with the same id', async () => {
    const { clock, runtime } = setUp({ approval: 'allow' })
    runtime.register(
      scriptedTool({ clock, name: 'poll', readOnly: true, concurrent: true, script: [{ hang: true }] }),
    )
    const running = runtime.execute([call('poll', {}, 'same'), call('poll', {}, 'same')])
    await clock.advance(10)
    const [first, second] = runtime.getSnapshot().calls
    expect(runtime.cancel({ uid: second!.uid })).toBe(true)
    await clock.advance(300)
    expect(runtime.getSnapshot().calls.map(({ status }) => status)).toEqual(['executing', 'cancelled'])
    expect(runtime.cancel({ uid: second!.uid })).toBe(false)
    runtime.cancel({ uid: first!.uid })
    expect(codes(await clock.runUntil(running))).toEqual(['CANCELLED', 'CANCELLED'])
  })

  test('a call has its own signal', async () => {
    const { clock, runtime } = setUp({ approval: 'allow' })
    const controller = new AbortController()
    const running = runtime.execute([
      { ...call('hang'), signal: controller.signal },
      call('write'),
      { ...call('read'), signal: AbortSignal.abort() },
    ])
    await clock.advance(10)
    controller.abort()
    expect(codes(await clock.runUntil(running))).toEqual(['CANCELLED', 'success', 'CANCELLED'])
  })
})
