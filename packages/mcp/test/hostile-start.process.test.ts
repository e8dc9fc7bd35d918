import { describe, expect, test, vi } from 'vitest'
import { call, meanwhile, recorded } from './helpers/hostile.ts'
import { act, afterKnown, knownTools, slackMs, stage, toolNames } from './helpers/stage.ts'

// Many processes start at the same time, which is slow on a busy machine.
vi.setConfig({ testTimeout: 90_000 })

describe.concurrent('a server that does not start', () => {
  test('the list is returned in time, with the other servers', () =>
    stage(
      ['never-initialize', 'exits-immediately', 'initialize-error', 'wrong-version', 'not-a-list'],
      async ({ gateway }) => {
        const start = performance.now()
        await toolNames(gateway)
        expect(performance.now() - start).toBeLessThan(3_000 + slackMs)
        const names = await knownTools(gateway, ['healthy'])
        expect(names.filter((name) => name.startsWith('mcp__'))).toEqual([
          'mcp__healthy__echo',
          'mcp__healthy__fine',
          'mcp__healthy__act',
        ])
      },
      { startTimeout: 3_000 },
    ))

  const older = ['ignores-unknown-methods', 'exits-at-unknown-methods'] as const

  test('a 2025 server that exits at the first message works', () =>
    stage(older, async ({ gateway }) => {
      await knownTools(gateway, older)
      for (const name of older)
        expect(await call(gateway, `mcp__${name}__act`)).toMatchObject({ text: 'done' })
    }))

  test('a call fails at the start timeout', () =>
    afterKnown(
      ['then:never-initialize'],
      async ({ gateway }) => {
        const { value } = await meanwhile(gateway, call(gateway, 'mcp__never-initialize__act'))
        expect(value.code).toBe('TRANSPORT_FAILED')
        expect(value.text).toContain('the MCP server never-initialize could not be started')
        expect(value.text).toContain('startTimeout')
        expect(value.text).toContain('stderr: hostile then:never-initialize is up')
        expect(value.ms).toBeLessThan(3_000 + slackMs)
      },
      { startTimeout: 3_000, timeout: 20_000 },
    ))

  const reasons = {
    'exits-immediately':
      'it exited with code 3; stderr: hostile then:exits-immediately is up\nfatal: no licence found',
    'initialize-error': 'the database is on holiday',
    'wrong-version': '1999-01-01',
  }

  test('a call fails immediately with the reason', () =>
    afterKnown(
      Object.keys(reasons).map((mode) => `then:${mode}`),
      async ({ gateway }) => {
        for (const [server, reason] of Object.entries(reasons)) {
          const { code, text, ms } = await call(gateway, `mcp__${server}__act`)
          expect(code).toBe('TRANSPORT_FAILED')
          expect(text).toContain(`the MCP server ${server} could not be started`)
          expect(text).toContain(reason)
          expect(ms).toBeLessThan(slackMs)
        }
      },
      { timeout: 20_000 },
    ))

  test('repeated crashes open its breaker and limit its restarts', () =>
    afterKnown(
      'then:exits-immediately',
      async ({ home, gateway }) => {
        const first = await call(gateway, 'mcp__hostile__echo', { params: { text: 'first' } })
        // It was never sent, so a retry is safe.
        expect(first).toMatchObject({ code: 'TRANSPORT_FAILED', details: { retrySafe: true } })
        const codes: (string | undefined)[] = []
        for (let i = 0; i < 12; i++) {
          // Different arguments each time, because identical calls count as a loop.
          codes.push((await call(gateway, 'mcp__hostile__echo', { params: { text: `${i}` } })).code)
        }
        expect(codes[0]).toBe('TRANSPORT_FAILED')
        expect(codes.at(-1)).toBe('CIRCUIT_OPEN')
        expect(recorded(home, 'start').length).toBeLessThan(12)
        const { code, text } = await act(gateway)
        expect(code).toBe('CIRCUIT_OPEN')
        expect(text).toContain('hostile')
      },
      { timeout: 20_000 },
    ))
})
