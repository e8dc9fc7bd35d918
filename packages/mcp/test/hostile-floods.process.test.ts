import { spawn } from 'node:child_process'
import { on, once } from 'node:events'
import { createInterface } from 'node:readline'
import { describe, expect, test } from 'vitest'
import { peakMemory } from '../../../test/support/processes.ts'
import { until } from '../../../test/support/until.ts'
import { curfew } from './helpers/gateway.ts'
import { hostileHome, recorded } from './helpers/hostile.ts'
import { act, limitMs, slackMs, stage, stillFine } from './helpers/stage.ts'

describe('floods', () => {
  test('a result of 50 MB', () =>
    stage(
      'huge-result',
      async ({ gateway }) => {
        const { text, ms } = await act(gateway)
        expect(text.length).toBeLessThan(2_000_000)
        expect(ms).toBeLessThan(10_000 + slackMs)
        expect(peakMemory(gateway.pid)).toBeLessThan(700)
        await stillFine(gateway)
      },
      { timeout: 10_000 },
    ))

  test('an endless line of 200 MB', () =>
    stage(
      'endless-line',
      async ({ gateway }) => {
        const { isError, text, ms } = await act(gateway)
        expect(isError).toBe(true)
        expect(text).toContain('hostile')
        expect(ms).toBeLessThan(5_000 + slackMs)
        expect(peakMemory(gateway.pid)).toBeLessThan(500)
        await stillFine(gateway)
      },
      { timeout: 5_000 },
    ))

  test.for(['notification-flood', 'answer-flood', 'garbage-flood', 'list-changed-flood'])('%s', (mode) =>
    stage(mode, async ({ gateway }) => {
      const { isError, text, ms } = await act(gateway)
      expect(isError).toBe(true)
      if (mode === 'answer-flood') expect(text).toContain('unsolicited messages')
      expect(ms).toBeLessThan(limitMs + slackMs)
      expect(peakMemory(gateway.pid)).toBeLessThan(500)
    }),
  )

  test('200,000 notifications before the response: the call succeeds', () =>
    stage(
      'notification-burst',
      async ({ gateway }) => {
        let reports = 0
        const result = await act(gateway, { onprogress: () => reports++ })
        expect(result).toMatchObject({ isError: false, text: 'done' })
        expect(reports).toBeGreaterThan(0)
        expect(reports).toBeLessThan(100_000)
        expect(peakMemory(gateway.pid)).toBeLessThan(500)
        await stillFine(gateway)
      },
      { timeout: 40_000 },
    ))

  test('a flood on stderr', () =>
    stage('stderr-flood', async ({ gateway }) => {
      for (let i = 0; i < 5; i++)
        expect(await act(gateway, { params: { pad: `${i}` } })).toMatchObject({ text: 'done' })
      expect(peakMemory(gateway.pid)).toBeLessThan(500)
      expect(gateway.stderr()).not.toContain('eeee')
    }))

  test('unexpected requests', async () => {
    let asked = 0
    await stage(
      'request-flood',
      async ({ home, gateway }) => {
        expect(await act(gateway)).toMatchObject({ isError: false, text: 'done' })
        await until(() => recorded(home, 'answer').length >= 500)
        await stillFine(gateway)
      },
      { timeout: 10_000 },
      {
        capabilities: { sampling: {} },
        prepare: (client) => {
          client.setRequestHandler('sampling/createMessage', async () => {
            asked++
            return { role: 'assistant', model: 'none', content: { type: 'text', text: 'yes?' } }
          })
        },
      },
    )
    expect(asked).toBeGreaterThan(0)
    expect(asked).toBeLessThanOrEqual(100)
  })

  test('progress for a client that does not read', async () => {
    await using home = await hostileHome('fat-progress', { timeout: 6_000 })
    const gateway = spawn(process.execPath, [curfew, 'mcp'], {
      env: home.env,
      cwd: home.folder,
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    const answers = createInterface(gateway.stdout)
    const answer = async (id: number): Promise<string> => {
      for await (const [line] of on(answers, 'line')) if (JSON.parse(line).id === id) return line
      return ''
    }
    const ask = (id: number, method: string, params: object): void => {
      gateway.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    }
    const started = answer(1)
    const clientInfo = { name: 'raw', version: '1' }
    ask(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
    await started
    const listed = answer(2)
    ask(2, 'tools/list', {})
    await listed
    answers.pause()
    ask(3, 'tools/call', { name: 'mcp__hostile__act', arguments: {}, _meta: { progressToken: 'mine' } })
    await until(() => recorded(home, 'notifications/cancelled').length > 0, 20_000)
    expect(recorded(home, 'notifications/cancelled')).toHaveLength(1)
    expect(peakMemory(gateway.pid!)).toBeLessThan(600)
    const ended = answer(3)
    answers.resume()
    expect(await ended).toContain('TOOL_TIMEOUT')
    gateway.stdin.end()
    await once(gateway, 'exit')
  })
})
