import { describe, expect, test } from 'vitest'
import { call, recorded } from './helpers/hostile.ts'
import { act, afterKnown, slackMs, stage, toolNames } from './helpers/stage.ts'

describe.concurrent('a server that does not start', () => {
  test.for([
    ['never-initialize', 1_500],
    ['exits-at-once', 5_000],
    ['initialize-error', 5_000],
    ['wrong-version', 5_000],
    ['not-a-list', 5_000],
  ] as const)('%s: the list ends on time, with the others in it', async ([mode, startTimeout]) => {
    await stage(
      mode,
      async ({ gateway }) => {
        const start = performance.now()
        const names = await toolNames(gateway)
        expect(performance.now() - start).toBeLessThan(startTimeout + slackMs)
        expect(names).toContain('mcp__healthy__echo')
        expect(names.filter((name) => name.includes('hostile'))).toEqual([])
      },
      { startTimeout },
    )
  })

  test.for(['ignores-what-it-does-not-know', 'exits-at-what-it-does-not-know'])(
    '%s: it works, as servers of before 2026 may be so',
    (mode) =>
      stage(mode, async ({ gateway }) => {
        expect(await toolNames(gateway)).toContain('mcp__hostile__act')
        expect(await act(gateway)).toMatchObject({ isError: false, text: 'done' })
      }),
  )

  test('never-initialize: a call ends when the time to start is over', () =>
    afterKnown(
      'never-initialize',
      async ({ gateway }) => {
        const { code, text, ms } = await act(gateway)
        expect(code).toBe('TRANSPORT_FAILED')
        expect(text).toContain('hostile')
        expect(text).toContain('hostile then:never-initialize is up')
        expect(ms).toBeLessThan(1_000 + slackMs)
      },
      { startTimeout: 1_000, timeout: 10_000 },
    ))

  test.for([
    ['exits-at-once', 'fatal: no licence found'],
    ['initialize-error', 'the database is on holiday'],
    ['wrong-version', '1999-01-01'],
  ] as const)('%s: a call says why, soon', ([mode, why]) =>
    afterKnown(
      mode,
      async ({ gateway }) => {
        const { code, text, ms } = await act(gateway)
        expect(code).toBe('TRANSPORT_FAILED')
        expect(text).toContain('hostile')
        expect(text).toContain(why)
        expect(ms).toBeLessThan(slackMs)
      },
      { timeout: 20_000 },
    ),
  )

  test('crashing again and again: its breaker opens, and it is not started without end', () =>
    afterKnown('exits-at-once', async ({ home, gateway }) => {
      const codes: (string | undefined)[] = []
      for (let i = 0; i < 12; i++) {
        // Another argument each time, as the same call again and again is another matter.
        codes.push((await call(gateway, 'mcp__hostile__echo', { params: { text: `${i}` } })).code)
      }
      expect(codes[0]).toBe('TRANSPORT_FAILED')
      expect(codes.at(-1)).toBe('CIRCUIT_OPEN')
      const before = recorded(home, 'start').length
      expect(before).toBeLessThan(12)
      const { text } = await call(gateway, 'mcp__hostile__act')
      expect(text).toContain('hostile')
    }))
})
