import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { call, meanwhile, recorded } from './helpers/hostile.ts'
import { knownTools, limitMs, slackMs, stage, stillFine, waitMs } from './helpers/stage.ts'

/** The error of a request, if any, and its duration. */
async function outcome(request: Promise<unknown>): Promise<{ error: string | null; ms: number }> {
  const start = performance.now()
  const error = await request.then(
    () => null,
    (error: unknown) => String(error),
  )
  return { error, ms: performance.now() - start }
}

describe.concurrent('requests other than calls', () => {
  test('time out without a response, and the server is notified', () =>
    stage('answers-only-lists', async ({ home, gateway }) => {
      const { client } = gateway
      await call(gateway, 'mcp__healthy__fine')
      const uri = 'hostile://page'
      expect((await client.listResources()).resources).toMatchObject([{ uri }])
      expect((await client.listPrompts()).prompts).toMatchObject([{ name: 'riddle' }])
      await client.setLoggingLevel('debug')
      const ref = { type: 'ref/prompt', name: 'riddle' } as const
      const requests = [
        client.readResource({ uri }),
        client.subscribeResource({ uri }),
        client.getPrompt({ name: 'riddle' }),
        client.complete({ ref, argument: { name: 'about', value: 'a' } }),
      ]
      const { value, slowestMs } = await meanwhile(gateway, Promise.all(requests.map(outcome)))
      for (const { error, ms } of value) {
        expect(error).toContain('hostile')
        expect(ms).toBeLessThan(limitMs + slackMs)
      }
      expect(slowestMs).toBeLessThan(waitMs)
      await until(() => recorded(home, 'notifications/cancelled').length >= 4)
      expect(recorded(home, 'notifications/cancelled').length).toBeGreaterThanOrEqual(4)
      await stillFine(gateway)
    }))

  test('for a listed item do not wait for other servers', () =>
    stage(
      ['reports-changes', 'never-initialize'],
      async ({ home, gateway }) => {
        const { client } = gateway
        await call(gateway, 'mcp__reports-changes__fine')
        const state = join(home.folder, '.config', 'curfew', 'mcp')
        const isKnown = (): boolean =>
          readdirSync(state).some((name) =>
            readFileSync(join(state, name), 'utf8').includes('hostile://page'),
          )
        expect(await until(isKnown)).toBe(true)
        const { ms } = await outcome(client.readResource({ uri: 'hostile://page' }))
        expect(ms).toBeLessThan(slackMs)
      },
      { startTimeout: 30_000 },
    ))

  test('lists without a response do not block others', () =>
    stage(
      'answers-only-tools',
      async ({ gateway }) => {
        const { client } = gateway
        await knownTools(gateway)
        await stillFine(gateway)
        const lists = [client.listResources(), client.listResourceTemplates(), client.listPrompts()]
        for (const { error, ms } of await Promise.all(lists.map(outcome))) {
          expect(error).toBe(null)
          expect(ms).toBeLessThan(4_000 + slackMs)
        }
        await stillFine(gateway)
      },
      { startTimeout: 4_000 },
    ))
})
