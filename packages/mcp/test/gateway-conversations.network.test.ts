import { existsSync } from 'node:fs'
import { defineTool, type Question, type RuntimeOptions, type Tool } from '@curfew/core'
import type { Client, ClientOptions } from '@modelcontextprotocol/client'
import { describe, expect, test, vi } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { hostileHome, recorded } from './helpers/hostile.ts'
import { legacy, modern, startHttpGateway, textOf } from './helpers/http-gateway.ts'
import { type LocalClient, type LocalClientOptions, startLocalGateway } from './helpers/local-gateway.ts'
import { knownTools } from './helpers/stage.ts'

vi.setConfig({ testTimeout: 60_000 })

const promptlyMs = 5_000
const object = { type: 'object', properties: {} } as const

/** Tools that record what happens to them. */
function recordingTools() {
  const wiped: unknown[] = []
  const started: string[] = []
  const stopped: string[] = []
  const tools = [
    // Its only parameter has a dangerous default.
    defineTool({
      name: 'wipe',
      description: 'Delete a folder.',
      parameters: { type: 'object', properties: { path: { type: 'string', default: '/' } } },
      execute: ({ path }) => {
        wiped.push(path)
        return `deleted ${path}`
      },
    }),
    defineTool({
      name: 'hang',
      description: 'Wait until the call is cancelled.',
      parameters: { type: 'object', properties: { who: { type: 'string' } }, required: ['who'] },
      timeout: 60_000,
      async execute({ who }, { signal }) {
        started.push(String(who))
        await aborted(signal)
        stopped.push(String(who))
      },
    }),
    defineTool({
      name: 'detach',
      description: 'Continue in the background.',
      parameters: { type: 'object', properties: { who: { type: 'string' } }, required: ['who'] },
      async execute({ who }, { signal, detach }) {
        await detach('listening')
        started.push(String(who))
        await aborted(signal)
        stopped.push(String(who))
      },
    }),
    defineTool({
      name: 'echo',
      description: 'Return a text.',
      parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      execute: ({ text }) => text,
    }),
    defineTool({
      name: 'outer',
      description: 'Call another tool.',
      parameters: object,
      async execute(_params, { execute }) {
        const [result] = await execute([{ id: 'inner', name: 'echo', params: { text: 'inner' } }])
        return result!.content
      },
    }),
    defineTool({
      name: 'long',
      description: 'Return a long text.',
      parameters: object,
      execute: () => 'x'.repeat(100_000),
    }),
  ]
  return { tools: tools as unknown as Tool[], wiped, started, stopped }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

const allow = { default: 'allow' } as const
const asking = (rule: string): RuntimeOptions => ({ approval: { default: 'allow', rules: { ask: [rule] } } })

/** A client that answers questions, and records them. */
function answering(answer: () => Promise<string | null>, options: ClientOptions) {
  const asked: string[] = []
  const connect: LocalClientOptions = {
    ...options,
    capabilities: { elicitation: { form: {} } },
    prepare: (client: Client) =>
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        asked.push(params.message)
        const chosen = await answer()
        return chosen === null ? { action: 'decline' } : { action: 'accept', content: { answer: chosen } }
      }),
  }
  return { asked, connect }
}

describe('stubs', () => {
  const loads = /did not run\. Call it again/

  test('a stub loaded by one client does not run blind for another', async () => {
    const { tools, wiped } = recordingTools()
    const gateway = await startLocalGateway({ tools, runtime: { approval: allow }, view: 'stub' })
    const [first, second] = [await gateway.connect(legacy), await gateway.connect(legacy)]
    expect(await first.call('wipe')).toMatch(loads)
    expect(await second.call('wipe')).toMatch(loads)
    expect(wiped).toEqual([])
    expect(await first.call('wipe')).toBe('deleted /')
    // A client that connects again has not seen the definition either.
    await second.endSession()
    const third = await gateway.connect(legacy)
    expect(await third.call('wipe')).toMatch(loads)
    expect(await (await gateway.connect(modern)).call('wipe')).toMatch(loads)
    expect(wiped).toEqual(['/'])
  })

  test('parallel calls of one client load a stub together', async () => {
    const { tools, wiped } = recordingTools()
    const gateway = await startLocalGateway({ tools, runtime: { approval: allow }, view: 'stub' })
    const { call } = await gateway.connect(legacy)
    for (const text of await Promise.all([call('wipe'), call('wipe'), call('wipe')]))
      expect(text).toMatch(loads)
    expect(wiped).toEqual([])
    expect(await call('wipe')).toBe('deleted /')
  })

  test('without a session, empty arguments always load', async () => {
    const { tools, wiped } = recordingTools()
    const gateway = await startLocalGateway({ tools, runtime: { approval: allow }, view: 'stub' })
    const { call } = await gateway.connect(modern)
    expect(await call('wipe', { path: 'tmp' })).toBe('deleted tmp')
    for (const _ of [1, 2]) expect(await call('wipe')).toMatch(/arguments, which must not be empty/)
    expect(wiped).toEqual(['tmp'])
  })
})

describe('300 hanging calls of one client do not delay another', () => {
  test.each<[string, LocalClientOptions, LocalClientOptions]>([
    ['two sessions', legacy, legacy],
    ['a token and a session', modern, legacy],
    ['a session and a token', legacy, modern],
    ['two tokens', { ...modern, token: 'token-a' }, { ...modern, token: 'token-b' }],
  ])('%s', async (_, first, second) => {
    const { tools, started } = recordingTools()
    const httpTokens = ['token-a', 'token-b']
    const gateway = await startLocalGateway({ tools, runtime: { approval: allow }, httpTokens })
    const [busy, other] = [await gateway.connect(first), await gateway.connect(second)]
    const stop = new AbortController()
    const hanging = Array.from({ length: 300 }, () => busy.call('hang', { who: 'busy' }, stop.signal))
    const ended = Promise.allSettled(hanging)
    await until(() => started.length === 256, 40_000)
    const before = performance.now()
    for (const text of ['one', 'two']) expect(await other.call('echo', { text })).toBe(text)
    expect(performance.now() - before).toBeLessThan(promptlyMs)
    expect(started).toHaveLength(256)
    stop.abort()
    await ended
  })

  test('at one MCP server', async () => {
    await using home = await hostileHome('never-answers', { timeout: 60_000 })
    await using gateway = await startHttpGateway(home)
    const [busy, other] = [await gateway.connect(legacy), await gateway.connect(legacy)]
    await knownTools({ client: busy })
    const stop = new AbortController()
    const options = { signal: stop.signal, timeout: 60_000 }
    const hanging = Array.from({ length: 300 }, () => busy.callTool({ name: 'mcp__hostile__act' }, options))
    const ended = Promise.allSettled(hanging)
    await until(() => recorded(home, 'tools/call').length === 256, 40_000)
    const before = performance.now()
    expect(await textOf(other, 'mcp__hostile__fine')).toBe('all is fine')
    expect(performance.now() - before).toBeLessThan(promptlyMs)
    stop.abort()
    await ended
  })
})

describe('the end of a client', () => {
  test('a session that ends takes its calls, background tasks and files with it, and nothing of another', async () => {
    const { tools, started, stopped } = recordingTools()
    const gateway = await startLocalGateway({ tools, runtime: { approval: allow } })
    const [gone, other] = [await gateway.connect(legacy), await gateway.connect(legacy)]
    const files: string[] = []
    for (const [name, { call }] of Object.entries({ gone, other })) {
      void call('hang', { who: `${name} call` }).catch(() => {})
      expect(await call('detach', { who: `${name} task` })).toBe('listening')
      files.push(fileIn(await call('long')))
    }
    await until(() => started.length === 4)
    await gone.endSession()
    await until(() => stopped.length === 2 && !existsSync(files[0]!))
    expect(await other.call('echo', { text: 'still here' })).toBe('still here')
    expect(stopped.toSorted()).toEqual(['gone call', 'gone task'])
    expect(existsSync(files[1]!)).toBe(true)
    await gateway.close()
    await until(() => stopped.length === 4 && !existsSync(files[1]!))
  })

  test('a session that ends during a question withdraws it', async () => {
    const { tools } = recordingTools()
    const open: string[] = []
    const closed: string[] = []
    const gateway = await startLocalGateway({
      tools,
      runtime: {
        ...asking('echo'),
        ask: async ({ client }, { signal }) => {
          open.push(client!)
          await aborted(signal as AbortSignal)
          closed.push(client!)
          return undefined
        },
      },
    })
    const never = () => new Promise<null>(() => {})
    const [gone, other] = [answering(never, legacy), answering(never, legacy)]
    const clients = [await gateway.connect(gone.connect), await gateway.connect(other.connect)]
    for (const { call } of clients) void call('echo', { text: 'a' }).catch(() => {})
    await until(() => gone.asked.length + other.asked.length === 2 && open.length === 2)
    expect(new Set(open).size).toBe(2)
    await clients[0]!.endSession()
    await until(() => closed.length === 1)
    await clients[1]!.endSession()
    await until(() => closed.length === 2)
    expect(closed.toSorted()).toEqual(open.toSorted())
  })

  test('a request without a session ends when its client disconnects; its files stay until the gateway ends', async () => {
    const { tools, started, stopped } = recordingTools()
    const gateway = await startLocalGateway({ tools, runtime: { approval: allow } })
    const [gone, other] = [await gateway.connect(modern), await gateway.connect(modern)]
    const file = fileIn(await gone.call('long'))
    // Nothing can be read from a task after the only request of its conversation.
    expect(await gone.call('detach', { who: 'task' })).toBe('listening')
    await until(() => stopped.includes('task'))
    const stop = new AbortController()
    void gone.call('hang', { who: 'gone' }, stop.signal).catch(() => {})
    void other.call('hang', { who: 'other' }).catch(() => {})
    await until(() => started.length === 3)
    stop.abort()
    await until(() => stopped.includes('gone'))
    expect(stopped).not.toContain('other')
    expect(existsSync(file)).toBe(true)
    await gateway.close()
    expect(existsSync(file)).toBe(false)
  })

  test('a request without a session whose question is never answered ends', async () => {
    const { tools } = recordingTools()
    const questions: Question[] = []
    let closed = 0
    const gateway = await startLocalGateway({
      tools,
      runtime: {
        ...asking('echo'),
        approvalTimeout: 1_000,
        ask: async (question, { signal }) => {
          questions.push(question)
          await aborted(signal as AbortSignal)
          closed++
          return undefined
        },
      },
    })
    const silent = answering(() => new Promise<null>(() => {}), modern)
    const { call, client } = await gateway.connect(silent.connect)
    void call('echo', { text: 'a' }).catch(() => {})
    await until(() => silent.asked.length === 1)
    await client.close()
    await until(() => closed === 1)
    expect(questions).toHaveLength(1)
  })
})

describe('questions', () => {
  test.each([
    ['2025 and 2025', legacy, legacy],
    ['2026 and 2026', modern, modern],
    ['2026 and 2025', modern, legacy],
  ])('a question of a nested call goes to the client that called (%s)', async (_, first, second) => {
    const { tools } = recordingTools()
    const seen: Question[] = []
    const ask = (question: Question) => void seen.push(question)
    const gateway = await startLocalGateway({ tools, runtime: { ...asking('echo'), ask } })
    const yes = answering(async () => 'Yes, this once', first)
    const no = answering(async () => null, second)
    const [yesClient, noClient] = [await gateway.connect(yes.connect), await gateway.connect(no.connect)]
    const texts = await Promise.all([yesClient.call('outer'), noClient.call('outer')])
    expect(texts).toEqual(['inner', expect.stringContaining('DENIED')])
    expect([yes.asked.length, no.asked.length]).toEqual([1, 1])
    // Requests without a session have a client, too: their token.
    expect(seen.every(({ client }) => client !== null)).toBe(true)
    expect(new Set(seen.map(({ conversation }) => conversation)).size).toBe(2)
    expect(new Set(seen.map(({ client }) => client)).size).toBe(first === modern && second === modern ? 1 : 2)
  })

  test('"always" is remembered for a session, and applies once to a request without one, whoever answers', async () => {
    const { tools } = recordingTools()
    const remembered: string[] = []
    const asked: unknown[] = []
    const gateway = await startLocalGateway({
      tools,
      runtime: {
        approval: { default: 'ask', remember: (rule) => void remembered.push(rule) },
        ask: ({ params }) => {
          asked.push(params)
          return 'always'
        },
      },
    })
    // The clients support elicitation but do not answer.
    const [stateless, session] = [modern, legacy].map((era) => answering(() => new Promise(() => {}), era))
    const without = await gateway.connect(stateless!.connect)
    for (const _ of [1, 2]) expect(await without.call('echo', { text: 'a' })).toBe('a')
    expect([asked.length, remembered]).toEqual([2, []])
    const withSession = await gateway.connect(session!.connect)
    for (const _ of [1, 2]) expect(await withSession.call('echo', { text: 'a' })).toBe('a')
    expect([asked.length, remembered.length]).toEqual([3, 1])
  })
})

describe('limits', () => {
  const say = ({ call }: LocalClient, text: string) => call('echo', { text })

  test.each([
    ['limits.callsPerTurn', { limits: { callsPerTurn: 2 } }, 'LIMIT_EXCEEDED'],
    ['breaker.maxCallsPerWindow', { breaker: { maxCallsPerWindow: 2 } }, 'CIRCUIT_OPEN'],
  ])('%s is counted per token, and per session', async (_, options, code) => {
    const { tools } = recordingTools()
    const httpTokens = ['token-a', 'token-b']
    const gateway = await startLocalGateway({ tools, runtime: { approval: allow, ...options }, httpTokens })
    const connect = (era: ClientOptions, token: string) => gateway.connect({ ...era, token })
    const [a, sameToken] = [await connect(modern, 'token-a'), await connect(modern, 'token-a')]
    await say(a, 'one')
    await say(sameToken, 'two')
    expect(await say(a, 'three')).toContain(code)
    expect(await say(sameToken, 'four')).toContain(code)
    expect(await say(await connect(modern, 'token-b'), 'five')).toContain('five')
    const [session, other] = [await connect(legacy, 'token-a'), await connect(legacy, 'token-a')]
    for (const text of ['six', 'seven']) expect(await say(session, text)).toContain(text)
    expect(await say(session, 'eight')).toContain(code)
    expect(await say(other, 'nine')).toContain('nine')
  })

  test('a client that repeats itself is nudged, not another one', async () => {
    const { tools } = recordingTools()
    const gateway = await startLocalGateway({ tools, runtime: { approval: allow } })
    const [looping, other] = [await gateway.connect(legacy), await gateway.connect(legacy)]
    const texts: string[] = []
    for (let i = 0; i < 12; i++) texts.push(await say(looping, 'again'))
    expect(texts.slice(0, 9)).toEqual(Array(9).fill('again'))
    expect(texts[9]).toContain('[curfew] The same calls returned the same results')
    expect(texts.join()).not.toContain('LOOP_DETECTED')
    expect(await say(other, 'again')).toBe('again')
  })
})

test('cancelling a request does not cancel that of another client with the same id', async () => {
  const { tools, started, stopped } = recordingTools()
  const gateway = await startLocalGateway({ tools, runtime: { approval: allow } })
  const [one, two] = [await gateway.connect(legacy), await gateway.connect(legacy)]
  const stop = new AbortController()
  // Both clients count their requests from the same number.
  void one.call('hang', { who: 'one' }, stop.signal).catch(() => {})
  void two.call('hang', { who: 'two' }).catch(() => {})
  await until(() => started.length === 2)
  stop.abort()
  await until(() => stopped.length > 0)
  expect(await two.call('echo', { text: 'a' })).toBe('a')
  expect(stopped).toEqual(['one'])
})

function fileIn(text: string): string {
  return /the complete result is in (\S+) /.exec(text)![1]!
}
