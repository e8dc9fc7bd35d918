import type { Clock, Runtime } from '@curfew/core'
import { systemClock } from '@curfew/core/adapter'
import { createFakeClock } from '@curfew/core/testing'
import { describe, expect, it } from 'vitest'
import type { Upstream } from '../client/upstream.ts'
import type { Exchange } from './exchange.ts'
import { Routes } from './routes.ts'

const signal = new AbortController().signal
const server = { name: 'server' } as Upstream
const answer = { action: 'accept' }

/** A call of a client, with what it was asked and told. */
function callOf(client: object) {
  const heard: string[] = []
  const exchange = {
    client,
    signal,
    uid: 7,
    asked: { times: 0, ms: 0 },
    async ask(method: string) {
      heard.push(method)
      return answer
    },
    log: ({ data }: { data: unknown }) => heard.push(String(data)),
  } as unknown as Exchange
  return { exchange, heard }
}

function open(clock: Clock = systemClock) {
  const paused: number[] = []
  const routes = new Routes(clock, 1_000, 1)
  const pause = (uid: number) => {
    paused.push(uid)
    return () => {}
  }
  routes.attach({ pause } as Runtime)
  return { routes, paused, bridge: routes.bridgeFor('server') }
}

describe('what a server asks', () => {
  it('goes to the call that it got last', async () => {
    const { routes, bridge } = open()
    const client = {}
    const [first, last] = [callOf(client), callOf(client)]
    routes.onSent(first.exchange, server)
    const end = routes.onSent(last.exchange, server)
    expect(await bridge.request('elicitation/create', {}, signal)).toBe(answer)
    end()
    await bridge.request('elicitation/create', {}, signal)
    expect([first.heard, last.heard]).toEqual([['elicitation/create'], ['elicitation/create']])
  })

  it('goes to nobody while calls of several clients are there, and so does what it says', async () => {
    const { routes, bridge } = open()
    const [mine, other] = [callOf({}), callOf({})]
    routes.onSent(mine.exchange, server)
    const end = routes.onSent(other.exchange, server)
    await expect(bridge.request('elicitation/create', {}, signal)).rejects.toThrow(
      'several clients have calls here, and it does not say which of them it asks',
    )
    const said = { method: 'notifications/message', params: { level: 'info', data: 'private' } }
    routes.onNotification(server, { jsonrpc: '2.0', ...said })
    expect([mine.heard, other.heard]).toEqual([[], []])
    end()
    await bridge.request('elicitation/create', {}, signal)
    expect(mine.heard).toEqual(['elicitation/create'])
  })

  it('stops the clock only if a person is asked', async () => {
    const { routes, bridge, paused } = open()
    routes.onSent(callOf({}).exchange, server)
    await bridge.request('sampling/createMessage', {}, signal)
    expect(paused).toEqual([])
    await bridge.request('elicitation/create', {}, signal)
    expect(paused).toEqual([7])
  })

  it('has its time for all questions together', async () => {
    const clock = createFakeClock()
    const { routes, bridge } = open(clock)
    const { exchange } = callOf({})
    exchange.ask = async () => {
      await clock.advance(600)
      return answer
    }
    routes.onSent(exchange, server)
    for (let i = 0; i < 2; i++) await bridge.request('elicitation/create', {}, signal)
    await expect(bridge.request('elicitation/create', {}, signal)).rejects.toThrow('asked enough questions')
  })

  it('is refused without a call', async () => {
    await expect(open().bridge.request('elicitation/create', {}, signal)).rejects.toThrow('there is no call')
  })
})
