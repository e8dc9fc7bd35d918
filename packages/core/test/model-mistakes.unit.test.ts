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
