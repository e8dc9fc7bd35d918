import { createFakeClock, type FakeClock } from '@curfew/core/testing'
import { expect, test } from 'vitest'
import type { ServerConfig } from '../../config/server-config.ts'
import type { Connection } from '../connection/create-client.ts'
import type { ManagedConnection } from './managed-connection.ts'
import { UpstreamRequests } from './upstream-requests.ts'

/** A server that answers a ping once it is told to. Requests are recorded as `CONNECTION METHOD`; `hang` gets no response. */
class Server {
  readonly clock: FakeClock = createFakeClock()
  readonly log: string[] = []
  readonly sent: string[] = []
  readonly requests: UpstreamRequests
  answerPing: () => void = () => {}
  isIdle = true
  #starts = 0
  #current: Connection | null = null

  constructor() {
    const connection = {
      current: null as Connection | null,
      use: async (
        _signal: AbortSignal,
        _readSecret: unknown,
        _isCall: boolean,
        request: (on: Connection) => unknown,
      ) => {
        connection.current ??= this.#open()
        return await request(connection.current)
      },
      stopIdle: () => {
        if (this.isIdle) connection.current = null
        return this.isIdle
      },
      drop: () => {
        connection.current = null
      },
    }
    this.requests = new UpstreamRequests({
      config: { name: 'slow', target: { kind: 'stdio' } } as ServerConfig,
      connection: connection as unknown as ManagedConnection,
      clock: this.clock,
      readSecret: async () => '',
      log: (message) => void this.log.push(message),
    })
  }

  #open(): Connection {
    const number = ++this.#starts
    const client = {
      getProtocolEra: () => 'legacy',
      request: async ({ method }: { method: string }, { signal }: { signal: AbortSignal }) => {
        this.sent.push(`${number} ${method}`)
        if (method === 'hang')
          await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
        return {}
      },
      ping: async ({ signal }: { signal: AbortSignal }) =>
        await new Promise<void>((resolve, reject) => {
          this.answerPing = resolve
          signal.addEventListener('abort', () => reject(signal.reason))
        }),
    }
    return { client, transport: {} } as unknown as Connection
  }

  async send(method: string, signal = new AbortController().signal, remainingMs?: number): Promise<unknown> {
    return await this.requests.send({ method, params: {} }, { signal, remainingMs })
  }

  /** A request that is cancelled. */
  async abandon(): Promise<void> {
    const call = new AbortController()
    const hanging = this.send('hang', call.signal)
    await this.clock.advance(0)
    call.abort(new Error('enough'))
    await expect(hanging).rejects.toThrow('enough')
  }
}

test('a request after an abandoned one waits until the server has answered the ping', async () => {
  const server = new Server()
  await server.abandon()
  const next = server.send('next')
  await server.clock.advance(1_000)
  expect(server.sent).toEqual(['1 hang'])
  server.answerPing()
  await next
  expect(server.sent).toEqual(['1 hang', '1 next'])
  expect(server.clock.pending).toBe(0)
})

test('a server that does not answer it for 5 s is restarted for the request', async () => {
  const server = new Server()
  await server.abandon()
  const next = server.send('next', undefined, 60_000)
  await server.clock.advance(4_900)
  expect(server.sent).toEqual(['1 hang'])
  await server.clock.advance(100)
  await next
  expect(server.sent).toEqual(['1 hang', '2 next'])
  expect(server.log).toEqual([
    'the MCP server slow is stopped: a call was cancelled or timed out, and it answered no ping for 5 s',
  ])
})

test('for calls with a short limit, it is restarted earlier', async () => {
  const server = new Server()
  await server.abandon()
  const next = [server.send('next', undefined, 1_500), server.send('next', undefined, 1_500)]
  await server.clock.advance(500)
  await Promise.all(next)
  expect(server.sent).toEqual(['1 hang', '2 next', '2 next'])
  expect(server.log).toHaveLength(1)
})

test('with other open requests, it is not restarted earlier', async () => {
  const server = new Server()
  server.isIdle = false
  await server.abandon()
  const next = server.send('next', undefined, 1_500)
  await server.clock.advance(4_000)
  server.answerPing()
  await next
  expect(server.sent).toEqual(['1 hang', '1 next'])
  expect(server.log).toEqual([])
})

test('a request that is cancelled while it waits is not sent', async () => {
  const server = new Server()
  await server.abandon()
  const call = new AbortController()
  const next = server.send('next', call.signal)
  await server.clock.advance(100)
  call.abort(new Error('never mind'))
  await expect(next).rejects.toThrow('never mind')
  expect(server.sent).toEqual(['1 hang'])
})
