import { describe, expect, test } from 'vitest'
import { recorded } from './helpers/hostile.ts'
import { peakMemory, until } from './helpers/processes.ts'
import { act, limitMs, slackMs, stage, stillFine } from './helpers/stage.ts'

describe('too much of something', () => {
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

  test('a line of 200 MB that does not end', () =>
    stage(
      'line-without-end',
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
      if (mode === 'answer-flood') expect(text).toContain('that nobody asked for')
      expect(ms).toBeLessThan(limitMs + slackMs)
      expect(peakMemory(gateway.pid)).toBeLessThan(500)
    }),
  )

  test('a flood on stderr', () =>
    stage('stderr-flood', async ({ gateway }) => {
      for (let i = 0; i < 5; i++)
        expect(await act(gateway, { params: { pad: `${i}` } })).toMatchObject({ text: 'done' })
      expect(peakMemory(gateway.pid)).toBeLessThan(500)
      expect(gateway.stderr()).not.toContain('eeee')
    }))

  test('requests that nobody expects', async () => {
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
})
