import { randomUUID } from 'node:crypto'
import { type Clock, systemClock } from '@curfew/core/internal'
import { createFakeClock } from '@curfew/core/testing'
import { describe, expect, it } from 'vitest'
import { withOrigin } from '../client/transport/message-origin.ts'
import type { Upstream } from '../client/upstream.ts'
import type { ClientRequest } from './client-request.ts'
import { MessageRouter } from './message-router.ts'
import { Scope } from './scope.ts'
import type { Session } from './session.ts'

const signal = new AbortController().signal
const server = { name: 'server', key: 'server', ping: async () => {} } as unknown as Upstream
const answer = { action: 'accept' }

/** A client's call, with the questions and logs that it received. */
function callOf(client: object, lasting = true, isListening = lasting) {
  const received: string[] = []
  const request = {
    id: randomUUID(),
    client,
    lasting,
    isListening,
    signal,
    uid: 7,
    asked: { times: 0, ms: 0 },
    async ask(method: string) {
      received.push(method)
      return answer
    },
    log: ({ data }: { data: unknown }) => received.push(String(data)),
  } as unknown as ClientRequest
  return { request, received }
}

function open(clock: Clock = systemClock) {
  const paused: number[] = []
  const pause = (uid: number) => {
    paused.push(uid)
    return () => {}
  }
  const router = new MessageRouter({
    clock,
    askTimeoutMs: 1_000,
    runtime: { pause, getCall: () => undefined },
  })
  return { router, paused, bridge: router.bridgeFor(() => server) }
}

/** A session that records what it receives. */
function sessionOf(kind: 'only' | 'session') {
  const received: string[] = []
  const session = {
    kind,
    canListRoots: true,
    listRoots: async () => ({ roots: [{ uri: 'file:///own' }] }),
    sendLog: ({ data }: { data: unknown }) => received.push(String(data)),
    send: ({ method }: { method: string }) => received.push(method),
    scope: new Scope(null),
  } as unknown as Session
  Object.assign(session, { client: session })
  return { session, received }
}

/** The server sends a log message. */
function logs(router: MessageRouter, data: string): void {
  const params = { level: 'info', data }
  router.onNotification(server, { jsonrpc: '2.0', method: 'notifications/message', params })
}

describe('a request of a server', () => {
  it('goes to the call whose task it names, although several clients have calls', async () => {
    const { router, bridge } = open()
    const [mine, other] = [callOf({}), callOf({})]
    mine.request.serverTask = 't1'
    for (const { request } of [mine, other]) router.callsAt(server).add(request)
    const naming = (taskId: unknown): object => ({
      _meta: { 'io.modelcontextprotocol/related-task': { taskId } },
    })
    expect(await bridge.request('elicitation/create', { ...naming('t1') }, signal)).toBe(answer)
    expect(mine.received).toEqual(['elicitation/create'])
    for (const taskId of ['t2', undefined, null])
      await expect(bridge.request('elicitation/create', { ...naming(taskId) }, signal)).rejects.toThrow()
    expect(other.received).toEqual([])
  })

  it('goes to the last call', async () => {
    const { router, bridge } = open()
    const client = {}
    const [first, last] = [callOf(client), callOf(client)]
    router.callsAt(server).add(first.request)
    const end = router.callsAt(server).add(last.request)
    expect(await bridge.request('elicitation/create', {}, signal)).toBe(answer)
    end(true)
    await bridge.request('elicitation/create', {}, signal)
    expect([first.received, last.received]).toEqual([['elicitation/create'], ['elicitation/create']])
  })

  it('is rejected while several clients have calls, and logs are dropped', async () => {
    const { router, bridge } = open()
    const [mine, other] = [callOf({}), callOf({})]
    router.callsAt(server).add(mine.request)
    const end = router.callsAt(server).add(other.request)
    await expect(bridge.request('elicitation/create', {}, signal)).rejects.toThrow(
      'several clients have calls',
    )
    logs(router, 'private')
    expect([mine.received, other.received]).toEqual([[], []])
    end(true)
    await bridge.request('elicitation/create', {}, signal)
    expect(mine.received).toEqual(['elicitation/create'])
  })

  it('goes to the call on whose stream it arrived, as do logs', async () => {
    const { router, bridge } = open()
    const [mine, other] = [callOf({}), callOf({})]
    const end = router.callsAt(server).add(mine.request)
    router.callsAt(server).add(other.request)
    const ask = (): Promise<unknown> =>
      withOrigin(mine.request.id, () => bridge.request('elicitation/create', {}, signal))
    expect(await ask()).toBe(answer)
    withOrigin(mine.request.id, () => logs(router, 'private'))
    end(true)
    await expect(ask()).rejects.toThrow('the call that this request belongs to has ended')
    withOrigin(mine.request.id, () => logs(router, 'late'))
    expect([mine.received, other.received]).toEqual([['elicitation/create', 'private'], []])
  })

  it('pauses the clock only if a person is asked', async () => {
    const { router, bridge, paused } = open()
    router.callsAt(server).add(callOf({}).request)
    await bridge.request('sampling/createMessage', {}, signal)
    expect(paused).toEqual([])
    await bridge.request('elicitation/create', {}, signal)
    expect(paused).toEqual([7])
  })

  it('shares one time limit with all questions of the call', async () => {
    const clock = createFakeClock()
    const { router, bridge } = open(clock)
    const { request } = callOf({})
    request.ask = async () => {
      await clock.advance(600)
      return answer
    }
    router.callsAt(server).add(request)
    for (let i = 0; i < 2; i++) await bridge.request('elicitation/create', {}, signal)
    await expect(bridge.request('elicitation/create', {}, signal)).rejects.toThrow('limit of questions')
  })

  it('is rejected without a call', async () => {
    await expect(open().bridge.request('elicitation/create', {}, signal)).rejects.toThrow('there is no call')
  })

  it('is rejected while it may belong to an abandoned call of another client', async () => {
    const clock = createFakeClock()
    const { router, bridge } = open(clock)
    const [mine, other] = [callOf({}), callOf({})]
    router.callsAt(server).add(other.request)(false)
    router.callsAt(server).add(mine.request)
    await expect(bridge.request('sampling/createMessage', {}, signal)).rejects.toThrow('several clients')
    await clock.advance(60_000)
    expect(await bridge.request('sampling/createMessage', {}, signal)).toBe(answer)
    expect([mine.received, other.received]).toEqual([['sampling/createMessage'], []])
  })
})

describe('roots', () => {
  it('are those of the calling client, and empty while several clients have calls', async () => {
    const { router, bridge } = open()
    const { session } = sessionOf('session')
    router.sessions.add(session)
    expect(await bridge.request('roots/list', {}, signal)).toEqual({ roots: [] })
    const [mine, other] = [callOf({}), callOf({})]
    Object.assign(mine.request, { hasRoots: true })
    router.callsAt(server).add(mine.request)
    expect(await bridge.request('roots/list', {}, signal)).toBe(answer)
    router.callsAt(server).add(other.request)
    expect(await bridge.request('roots/list', {}, signal)).toEqual({ roots: [] })
    expect(other.received).toEqual([])
  })

  it('of the only client are available before its first call', async () => {
    const { router, bridge } = open()
    router.sessions.add(sessionOf('only').session)
    expect(await bridge.request('roots/list', {}, signal)).toEqual({ roots: [{ uri: 'file:///own' }] })
  })
})

describe('a log message', () => {
  it("after the response goes to the calling client, and is dropped if it could be about another's call", async () => {
    const clock = createFakeClock()
    const { router } = open(clock)
    const bystander = sessionOf('session')
    router.sessions.add(bystander.session)
    const [mine, other] = [callOf({}), callOf({})]
    logs(router, 'before any call')
    router.callsAt(server).add(mine.request)(true)
    logs(router, 'late')
    const end = router.callsAt(server).add(other.request)
    logs(router, 'of the first or the second')
    end(true)
    logs(router, 'of one of the two')
    await clock.advance(10_000)
    logs(router, 'very late')
    router.callsAt(server).add(other.request)
    logs(router, 'of the second')
    expect([mine.received, other.received, bystander.received]).toEqual([['late'], ['of the second'], []])
  })

  it('during a call is dropped right after the call of another client', async () => {
    const clock = createFakeClock()
    const { router } = open(clock)
    const [mine, other] = [callOf({}), callOf({})]
    router.callsAt(server).add(mine.request)(true)
    router.callsAt(server).add(other.request)
    logs(router, 'maybe late')
    await clock.advance(10_000)
    logs(router, 'own')
    expect([mine.received, other.received]).toEqual([[], ['own']])
  })

  it('during a call goes to its client after the call of one that has disconnected, until the server logs late', () => {
    const { router } = open()
    const [gone, mine] = [callOf({}, true, false), callOf({})]
    router.callsAt(server).add(gone.request)(true)
    const end = router.callsAt(server).add(mine.request)
    logs(router, 'own')
    end(true)
    logs(router, 'late')
    router.callsAt(server).add(mine.request)
    logs(router, 'maybe late')
    expect([gone.received, mine.received]).toEqual([[], ['own']])
  })

  it('always goes to the only client', () => {
    const { router } = open()
    const only = sessionOf('only')
    router.sessions.add(only.session)
    logs(router, 'at the start')
    expect(only.received).toEqual(['at the start'])
  })
})

it('the completion of an elicitation goes to the client that was asked', async () => {
  const { router, bridge } = open()
  const [shown, other] = [sessionOf('session'), sessionOf('session')]
  for (const { session } of [shown, other]) router.sessions.add(session)
  router.callsAt(server).add(callOf(shown.session).request)
  await bridge.request('elicitation/create', { mode: 'url', elicitationId: 'e' }, signal)
  const method = 'notifications/elicitation/complete'
  for (const elicitationId of ['e', 'unknown'])
    router.onNotification(server, { jsonrpc: '2.0', method, params: { elicitationId } })
  expect([shown.received, other.received]).toEqual([[method], []])
})

it('the completion of an elicitation goes to the right client if two connections use the same id', async () => {
  const { router } = open()
  const sessions = [sessionOf('session'), sessionOf('session')]
  const connections = ['server 1', 'server 2'].map((key) => ({ name: 'server', key }) as Upstream)
  const method = 'notifications/elicitation/complete'
  for (const [index, { session }] of sessions.entries()) {
    router.sessions.add(session)
    router.callsAt(connections[index]!).add(callOf(session).request)
    const bridge = router.bridgeFor(() => connections[index]!)
    await bridge.request('elicitation/create', { mode: 'url', elicitationId: '1' }, signal)
  }
  router.onNotification(connections[0]!, { jsonrpc: '2.0', method, params: { elicitationId: '1' } })
  expect(sessions.map(({ received }) => received)).toEqual([[method], []])
})

it('a call waits again for roots if the server is restarted meanwhile', async () => {
  const clock = createFakeClock()
  const { router } = open(clock)
  const connection = { ...server, connected: false } as unknown as Upstream
  const bridge = router.bridgeFor(() => connection)
  const asks = async (): Promise<void> => void (await bridge.request('roots/list', {}, signal))
  await asks()
  const first = router.roots.wait(connection, signal)
  await clock.advance(100)
  await asks()
  await clock.advance(60)
  await first
  let isSettled = false
  const second = router.roots.wait(connection, signal).then(() => {
    isSettled = true
  })
  await clock.advance(50)
  expect(isSettled).toBe(false)
  await clock.advance(100)
  await second
})

it('a request without a session does not get the questions of an earlier one', async () => {
  const clock = createFakeClock()
  const { router, bridge } = open(clock)
  for (const answered of [false, true]) router.callsAt(server).add(callOf({}, false).request)(answered)
  const mine = callOf({}, false)
  router.callsAt(server).add(mine.request)
  await expect(bridge.request('elicitation/create', {}, signal)).rejects.toThrow('several clients')
  await clock.advance(60_000)
  await bridge.request('elicitation/create', {}, signal)
  expect(mine.received).toEqual(['elicitation/create'])
})

describe('a sign-in', () => {
  const url = new URL('https://mcp.example/mcp')
  const page = { serverName: 'server', url, signal }

  /** A client that waits for the server, and answers with this. */
  function waiting(elicitation: object, given: object) {
    const { router, paused } = open()
    const asked: Record<string, unknown>[] = []
    const ask = async (_method: string, params: Record<string, unknown>): Promise<object> => {
      asked.push(params)
      return given
    }
    const request = { ...callOf({}).request, capabilities: { elicitation }, sentTo: 'server', ask }
    router.requests.set('1', request as unknown as ClientRequest)
    return { prompt: router.signInPrompt, asked, paused }
  }
  const both = { form: {}, url: {} }

  it('is agreed to in a form, and then opened as a URL', async () => {
    const { prompt, asked } = waiting(both, { action: 'accept', content: { answer: 'Sign in' } })
    expect(await prompt.agree(page)).toBe(true)
    expect(await prompt.open(page)).toBe(true)
    expect(asked).toMatchObject([
      { mode: 'form', message: expect.stringContaining('server (mcp.example) requires you to sign in') },
      { mode: 'url', url: url.href },
    ])
  })

  it.each([
    ['the person says no', both, { action: 'accept', content: { answer: 'No' } }, 1],
    ['the person declines', both, { action: 'decline' }, 1],
    ['the form is empty', both, { action: 'accept' }, 1],
    ['the client has no forms', { url: {} }, { action: 'accept', content: { answer: 'Sign in' } }, 0],
    ['the client cannot open it', { form: {} }, { action: 'accept', content: { answer: 'Sign in' } }, 0],
  ])('does not begin if %s', async (_what, elicitation, given, times) => {
    const { prompt, asked } = waiting(elicitation, given)
    expect(await prompt.agree(page)).toBe(false)
    expect(asked).toHaveLength(times)
  })

  it('does not begin if no client waits for the server', async () => {
    expect(await open().router.signInPrompt.agree(page)).toBe(false)
  })
})
