import { describe, expect, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import type { GatewayOptions } from './helpers/gateway.ts'
import { call, meanwhile, recorded } from './helpers/hostile.ts'
import { act, expectCancelled, limitMs, slackMs, stage, stillFine, waitMs } from './helpers/stage.ts'

const eras: [string, GatewayOptions][] = [
  ['2025', {}],
  ['2026', { versionNegotiation: { mode: { pin: '2026-07-28' } } }],
]

describe.concurrent('a call with a hostile server', () => {
  test.for(eras)('no response: it times out, and the server is notified (%s)', ([, options]) =>
    stage(
      'never-answers',
      async ({ home, gateway }) => {
        const { code, text, details, ms } = await act(gateway)
        expect(code).toBe('TOOL_TIMEOUT')
        expect(details).toMatchObject({ limitMs, retrySafe: false })
        expect(details.elapsedMs).toBeGreaterThanOrEqual(limitMs - 5)
        expect(String(details.source)).not.toBe('')
        expect(text).toContain('1.5')
        expect(ms).toBeLessThan(limitMs + slackMs)
        await expectCancelled(home)
        await stillFine(gateway)
      },
      {},
      options,
    ),
  )

  test('a subscription without a response times out', () =>
    stage('never-subscribes', async ({ gateway: { client } }) => {
      await client.listResources()
      const start = performance.now()
      await expect(client.subscribeResource({ uri: 'hostile://one' }, { timeout: 40_000 })).rejects.toThrow()
      expect(performance.now() - start).toBeLessThan(limitMs + slackMs)
    }))

  test('no response to a hundred concurrent calls: all time out together', () =>
    stage('never-answers', async ({ home, gateway }) => {
      await call(gateway, 'mcp__healthy__fine')
      const calls = Array.from({ length: 100 }, (_, i) =>
        call(gateway, 'mcp__hostile__act', { params: { pad: `${i}` } }),
      )
      const { value, slowestMs } = await meanwhile(gateway, Promise.all(calls))
      expect(new Set(value.map(({ code }) => code))).toEqual(new Set(['TOOL_TIMEOUT']))
      expect(Math.max(...value.map(({ ms }) => ms))).toBeLessThan(limitMs + slackMs)
      expect(slowestMs).toBeLessThan(waitMs)
      await until(() => recorded(home, 'notifications/cancelled').length === 100)
      expect(recorded(home, 'notifications/cancelled')).toHaveLength(100)
    }))

  test.for(eras)('cancelled by the client: the server is notified (%s)', ([, options]) =>
    stage(
      'never-answers',
      async ({ home, gateway }) => {
        const controller = new AbortController()
        const calling = call(gateway, 'mcp__hostile__act', { signal: controller.signal })
        const ended = expect(calling).rejects.toThrow()
        await until(() => recorded(home, 'tools/call').length === 1)
        controller.abort('enough')
        await ended
        await expectCancelled(home)
        await stillFine(gateway)
      },
      { timeout: 20_000 },
      options,
    ),
  )

  test('ignores the cancellation: the late response is dropped', () =>
    stage('ignores-cancel', async ({ home, gateway }) => {
      const { code, text } = await act(gateway)
      expect(code).toBe('TOOL_TIMEOUT')
      expect(text).not.toContain('too late')
      await until(() => recorded(home, 'late answer').length > 0)
      await stillFine(gateway)
    }))

  test('endless progress: it is forwarded and does not extend the timeout', () =>
    stage(
      'endless-progress',
      async ({ home, gateway }) => {
        let reports = 0
        const { code, details, ms } = await act(gateway, { onprogress: () => reports++ })
        expect(code).toBe('TOOL_TIMEOUT')
        expect(details).toMatchObject({ limitMs })
        expect(ms).toBeLessThan(limitMs + slackMs)
        expect(reports).toBeGreaterThan(3)
        await expectCancelled(home)
      },
      { idleTimeout: 800 },
    ))

  test('progress, then silence: the idle timeout ends it', () =>
    stage(
      'progress-then-silence',
      async ({ home, gateway }) => {
        const seen: unknown[] = []
        const { code, details, ms } = await act(gateway, { onprogress: ({ message }) => seen.push(message) })
        expect(code).toBe('TOOL_IDLE_TIMEOUT')
        expect(details).toMatchObject({ limitMs: 600 })
        expect(ms).toBeLessThan(600 + slackMs)
        expect(seen).toContain('halfway there')
        await expectCancelled(home)
      },
      { timeout: 20_000, idleTimeout: 600 },
    ))

  test('exits during the call: it fails immediately with the reason and is not retried', () =>
    stage(
      'exits-in-call',
      async ({ home, gateway }) => {
        const { code, text, details, ms } = await act(gateway)
        expect(code).toBe('TRANSPORT_FAILED')
        expect(details).toMatchObject({ retrySafe: false })
        expect(text).toContain('hostile')
        expect(text).toContain('fatal: ran out of luck')
        expect(text).toContain('3')
        expect(ms).toBeLessThan(slackMs)
        expect(recorded(home, 'tools/call').filter(({ detail }) => detail?.name === 'act')).toHaveLength(1)
        await stillFine(gateway)
      },
      { timeout: 20_000 },
    ))

  test('two responses: the first counts', () =>
    stage('answers-twice', async ({ gateway }) => {
      expect(await act(gateway)).toMatchObject({ isError: false, text: 'first' })
      await stillFine(gateway)
      expect(await act(gateway)).toMatchObject({ isError: false, text: 'first' })
    }))

  test('a response with a wrong id: it times out, and the problem is logged', () =>
    stage('answers-with-wrong-id', async ({ gateway }) => {
      const { code, text, ms } = await act(gateway)
      expect(code).toBe('TOOL_TIMEOUT')
      expect(text).not.toContain('for whom?')
      expect(ms).toBeLessThan(limitMs + slackMs)
      expect(gateway.stderr()).toMatch(
        /the MCP server hostile: sent a response to a request that was never made$/m,
      )
      await stillFine(gateway)
    }))

  test('an invalid response: it fails immediately, and the problem is logged', () =>
    stage('answers-with-garbage', async ({ gateway }) => {
      const { code, text } = await act(gateway)
      expect(code).toBe('INVALID_RESULT')
      expect(text).toMatch(/hostile sent an invalid response: it is not JSON/)
      expect(gateway.stderr()).toMatch(/hostile: printed a line to stdout that is not a message: not JSON$/m)
      await stillFine(gateway)
    }))

  test.for(['garbage-before-the-answer', 'logs-to-stdout'])('%s: the response is found', (mode) =>
    stage(mode, async ({ gateway }) => {
      expect(await act(gateway)).toMatchObject({ isError: false, text: 'done' })
      await stillFine(gateway)
    }),
  )

  test('an invalid result', () =>
    stage('invalid-result', async ({ gateway }) => {
      const { isError, text } = await act(gateway)
      expect(isError).toBe(true)
      expect(text).toContain('hostile')
      await stillFine(gateway)
    }))

  test('a protocol error is forwarded unchanged', () =>
    stage('call-error', async ({ gateway }) => {
      await expect(call(gateway, 'mcp__hostile__act')).rejects.toMatchObject({
        code: -32050,
        message: expect.stringContaining('the printer is on fire'),
        data: { floor: 3 },
      })
      await stillFine(gateway)
    }))

  test('an error result is forwarded unchanged', () =>
    stage('error-result', async ({ gateway }) => {
      expect(await gateway.client.callTool({ name: 'mcp__hostile__act', arguments: {} })).toEqual({
        isError: true,
        content: [
          { type: 'text', text: 'out of paper' },
          { type: 'image', data: 'A'.repeat(20_000), mimeType: 'image/png' },
        ],
        structuredContent: { tray: 2 },
      })
    }))

  test('a long error result is truncated like a result', () =>
    stage('long-error-result', async ({ gateway }) => {
      const { isError, text } = await act(gateway)
      expect(isError).toBe(true)
      expect(text).toMatch(/^TOOL_FAILED: no paper/)
      expect(text.length).toBeLessThan(10_000)
    }))

  test('closes its stdout and keeps running: it fails immediately', () =>
    stage(
      'closes-stdout',
      async ({ gateway }) => {
        const { code, text, ms } = await act(gateway)
        expect(code).toBe('TRANSPORT_FAILED')
        expect(text).toContain('it was stopped: it closed its standard output')
        expect(ms).toBeLessThan(slackMs)
        await stillFine(gateway)
      },
      { timeout: 40_000 },
    ))

  test('blocks its event loop: the next call restarts it', () =>
    stage(
      'blocks',
      async ({ home, gateway }) => {
        expect((await act(gateway)).code).toBe('TOOL_TIMEOUT')
        await stillFine(gateway)
        expect(gateway.stderr()).toMatch(/hostile is stopped: .*, and it answered no ping for/)
        expect(recorded(home, 'start')).toHaveLength(2)
      },
      { timeout: 6_000 },
    ))

  test('endless questions do not extend the call forever', () =>
    stage(
      'endless-questions',
      async ({ gateway }) => {
        const { code, ms } = await act(gateway)
        expect(code).toBe('TOOL_TIMEOUT')
        // The time of a hundred questions, plus the call's own timeout.
        expect(ms).toBeLessThan(100 * 50 + limitMs + 2 * slackMs)
      },
      {},
      {
        capabilities: { sampling: {} },
        prepare: (client) =>
          client.setRequestHandler('sampling/createMessage', async () => {
            await new Promise((resolve) => setTimeout(resolve, 50))
            return { role: 'assistant', model: 'none', content: { type: 'text', text: 'more' } }
          }),
      },
    ))

  test('stops reading: calls with large arguments time out', () =>
    stage('stops-reading', async ({ gateway }) => {
      await call(gateway, 'mcp__healthy__fine')
      const pad = 'x'.repeat(1_000_000)
      const calls = Array.from({ length: 3 }, () => call(gateway, 'mcp__hostile__act', { params: { pad } }))
      const { value, slowestMs } = await meanwhile(gateway, Promise.all(calls))
      for (const { isError, ms } of value) {
        expect(isError).toBe(true)
        // They may run one after the other.
        expect(ms).toBeLessThan(3 * limitMs + slackMs)
      }
      expect(slowestMs).toBeLessThan(waitMs)
      // It no longer responds, so it is stopped; the next call restarts it.
      await until(() => gateway.stderr().includes('the MCP server hostile is stopped'), 5_000 + 3 * slackMs)
      await stillFine(gateway)
    }))
})
