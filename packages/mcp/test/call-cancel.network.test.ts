import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { type Message, serveMcp, startFakeServer } from './helpers/fake-server.ts'
import { createHome, curfew, type Home } from './helpers/gateway.ts'
import { hostileHome, recorded } from './helpers/hostile.ts'
import { startHttpGateway, token } from './helpers/http-gateway.ts'

/** A remote server with a tool that never answers. */
async function startSlowServer(headers: Record<string, string> = {}) {
  const server = await startFakeServer(
    ({ method }, response) => {
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
      if (method === 'DELETE') response.writeHead(200).end()
      return method === 'DELETE'
    },
    serveMcp({ slow: () => {} }),
  )
  const messages = (): Message[] =>
    server.seen.filter(({ body }) => body !== '').map(({ body }) => JSON.parse(body) as Message)
  return {
    home: () => createHome(() => ({ remote: { url: `${server.origin}/mcp` } })),
    called: () => messages().find(({ method }) => method === 'tools/call'),
    cancelled: () =>
      messages()
        .filter(({ method }) => method === 'notifications/cancelled')
        .map(({ params }) => (params as { requestId?: unknown }).requestId),
  }
}

function startCall({ env, folder }: Home, args: readonly string[] = [], tool = 'mcp__remote__slow') {
  const child = spawn(process.execPath, [curfew, 'call', tool, '{}', ...args], {
    env,
    cwd: folder,
    stdio: 'ignore',
  })
  return { child, ended: once(child, 'exit') as Promise<[number | null]> }
}

test.each([
  ['with a session', { 'mcp-session-id': 'a-session' }],
  ['without one', {}],
])(
  'curfew call cancels the request at a remote server %s after a timeout or an interrupt',
  async (_, headers) => {
    for (const [args, signal, code] of [
      [['--timeout', '8s'], null, 124],
      [[], 'SIGINT', 130],
    ] as const) {
      const server = await startSlowServer(headers)
      await using home = await server.home()
      const { child, ended } = startCall(home, args)
      expect(await until(() => server.called() !== undefined)).toBe(true)
      if (signal !== null) child.kill(signal)
      expect(await ended).toEqual([code, null])
      expect(server.cancelled()).toEqual([server.called()!.id])
    }
  },
)

test('curfew call cancels the request at a 2026 remote server after a timeout or an interrupt', async () => {
  await using far = await hostileHome('never-answers', { timeout: 60_000 })
  await using gateway = await startHttpGateway(far)
  await using home = await createHome(() => ({
    remote: { url: gateway.url, headers: { Authorization: `Bearer ${token}` } },
  }))
  const acts = (): number => recorded(far, 'tools/call').filter(({ detail }) => detail?.name === 'act').length
  const cancelled = (): number => recorded(far, 'notifications/cancelled').length
  for (const [args, signal, count] of [
    // Enough for two gateways and a server to start on a busy machine.
    [['--timeout', '12s'], null, 1],
    [[], 'SIGINT', 2],
  ] as const) {
    const { child, ended } = startCall(home, args, 'mcp__remote__mcp__hostile__act')
    expect(await until(() => acts() === count)).toBe(true)
    if (signal !== null) child.kill(signal)
    await ended
    expect(await until(() => cancelled() === count)).toBe(true)
  }
})
