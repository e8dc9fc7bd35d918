import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Client, ClientOptions, LoggingMessageNotification } from '@modelcontextprotocol/client'
import { describe, expect, test, vi } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { hostileHome, recorded } from './helpers/hostile.ts'
import {
  type HttpClientOptions,
  type HttpGateway,
  legacy,
  modern,
  startHttpGateway,
  textOf,
} from './helpers/http-gateway.ts'
import { knownTools } from './helpers/stage.ts'

vi.setConfig({ testTimeout: 60_000 })

const act = 'mcp__hostile__act'

/** A client that answers every question with its name and records the questions. */
async function connectAs(
  gateway: HttpGateway,
  name: string,
  options: ClientOptions,
): Promise<{ readonly client: Client; readonly asked: string[] }> {
  const asked: string[] = []
  const capabilities = { roots: {}, sampling: {}, elicitation: { form: {} } }
  const prepare: HttpClientOptions['prepare'] = (client) => {
    client.setRequestHandler('roots/list', async () => {
      asked.push('roots/list')
      return { roots: [{ uri: `file:///${name}` }] }
    })
    client.setRequestHandler('sampling/createMessage', async () => {
      asked.push('sampling/createMessage')
      return { role: 'assistant', model: 'test', content: { type: 'text', text: `I am ${name}` } }
    })
    client.setRequestHandler('elicitation/create', async () => {
      asked.push('elicitation/create')
      return { action: 'accept', content: { name } }
    })
  }
  return { client: await gateway.connect({ ...options, capabilities, prepare }), asked }
}

describe.each([
  ['two clients of 2025', legacy, legacy],
  ['two clients of 2026', modern, modern],
  ['one of each', modern, legacy],
])('%s', (_, first, second) => {
  const methods = ['sampling/createMessage', 'elicitation/create', 'roots/list']

  test('each client gets the questions of its own call', async () => {
    await using home = await hostileHome('asks-in-a-call', { timeout: 20_000 })
    await using gateway = await startHttpGateway(home)
    const [a, b] = [await connectAs(gateway, 'ada', first), await connectAs(gateway, 'bob', second)]
    for (const method of methods) {
      expect(await textOf(a.client, act, { pad: method })).toContain('ada')
      expect(await textOf(b.client, act, { pad: method })).toContain('bob')
    }
    expect([a.asked, b.asked]).toEqual([methods, methods])
  })

  test('while both have calls, questions are rejected and roots are empty', async () => {
    await using home = await hostileHome('asks-in-a-call', { timeout: 20_000 })
    await using gateway = await startHttpGateway(home)
    const [a, b] = [await connectAs(gateway, 'ada', first), await connectAs(gateway, 'bob', second)]
    await knownTools(a)
    const holding = textOf(a.client, act, { pad: 'hold' })
    await until(() => recorded(home, 'tools/call').length === 1)
    for (const method of methods.slice(0, 2))
      expect(await textOf(b.client, act, { pad: method })).toContain(
        'several clients have calls on this connection',
      )
    expect(JSON.parse(await textOf(b.client, act, { pad: 'roots/list' }))).toMatchObject({
      result: { roots: [] },
    })
    // From here on, the server has a process for each client.
    expect(await textOf(b.client, act, { pad: 'roots/list' })).toContain('file:///bob')
    expect([a.asked, b.asked]).toEqual([[], ['roots/list']])
    a.client.close()
    await holding.catch(() => {})
  })

  test('an approval applies to one client', async () => {
    await using home = await hostileHome('healthy')
    await using gateway = await startHttpGateway(home, ['--set', 'approval.rules.ask=mcp__healthy__echo'])
    const answering = async (answer: string, options: ClientOptions) => {
      const asked: unknown[] = []
      const client = await gateway.connect({
        ...options,
        capabilities: { elicitation: { form: {} } },
        prepare: (client) =>
          client.setRequestHandler('elicitation/create', async ({ params }) => {
            asked.push(params)
            return { action: 'accept', content: { answer } }
          }),
      })
      return { asked, say: (text: string) => textOf(client, 'mcp__healthy__echo', { text }) }
    }
    const yes = await answering('Yes, and for the next minute', first)
    const no = await answering('No', second)
    expect(await yes.say('one')).toBe('one')
    expect(await no.say('two')).toContain('DENIED')
    expect(await yes.say('three')).toBe('three')
    expect(await no.say('four')).toContain('DENIED')
    // Without a session, an approval cannot last for a minute.
    expect(yes.asked).toHaveLength(first === modern ? 2 : 1)
    expect(JSON.stringify(yes.asked[0]).includes('next minute')).toBe(first === legacy)
    expect(no.asked).toHaveLength(2)
  })
})

test('"always" of a client without a session applies once', async () => {
  await using home = await hostileHome('healthy')
  await using gateway = await startHttpGateway(home, ['--set', 'approval.rules.ask=mcp__healthy__echo'])
  const offered: string[] = []
  const client = await gateway.connect({
    ...modern,
    capabilities: { elicitation: { form: {} } },
    prepare: (client) =>
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        offered.push(JSON.stringify(params))
        return { action: 'accept', content: { answer: 'Yes, always with these arguments' } }
      }),
  })
  for (const count of [1, 2]) {
    expect(await textOf(client, 'mcp__healthy__echo', { text: 'a' })).toBe('a')
    expect(offered).toHaveLength(count)
  }
  expect(offered[0]).not.toContain('always')
  expect(existsSync(join(home.folder, '.config', 'curfew', 'approvals.json'))).toBe(false)
})

test('calls without a session share one limit', async () => {
  await using home = await hostileHome('healthy')
  await using gateway = await startHttpGateway(home, ['--set', 'limits.callsPerTurn=3'])
  const [a, b, c] = await Promise.all([
    gateway.connect(modern),
    gateway.connect(modern),
    gateway.connect(legacy),
  ])
  const say = (client: Client, text: string) => textOf(client, 'mcp__healthy__echo', { text })
  expect(await say(a, 'one')).toBe('one')
  await say(b, 'two')
  await say(a, 'three')
  expect(await say(b, 'four')).toContain('LIMIT_EXCEEDED')
  expect(await say(c, 'five')).toBe('five')
})

test('a log message after the response goes to the calling client or is dropped', async () => {
  await using home = await hostileHome('logs-after-the-answer')
  await using gateway = await startHttpGateway(home)
  const connect = async () => {
    const received: unknown[] = []
    const client = await gateway.connect({
      ...legacy,
      prepare: (client) =>
        client.setNotificationHandler('notifications/message', ({ params }: LoggingMessageNotification) => {
          received.push(params.data)
        }),
    })
    return { client, received }
  }
  const [a, b] = [await connect(), await connect()]
  await textOf(a.client, act, { pad: 'of a' })
  expect(await until(() => a.received.length === 2)).toBe(true)
  await textOf(b.client, act, { pad: 'of b' })
  // The next response arrives after everything that the server logged before it.
  expect(await until(() => recorded(home, 'logged').length === 2)).toBe(true)
  await textOf(b.client, 'mcp__hostile__fine')
  expect(a.received).toEqual(['before: of a', 'after: of a'])
  // This server logs late, so its messages could be about the other client's recent call.
  expect(b.received).toEqual([])
})
