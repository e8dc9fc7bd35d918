import { expect, test } from 'vitest'
import type { Upstream } from '../client/upstream.ts'
import { ClientConnections } from './client-connections.ts'

function setUp(instances: 'shared' | 'per-client' = 'shared') {
  const ended: string[] = []
  const state = {}
  const held: string[] = []
  const released: string[] = []
  const busy = new Set<string>()
  const connection = (key: string): Upstream =>
    ({
      name: 'files',
      state,
      config: { instances },
      key,
      hold: () => void held.push(key),
      release: () => void released.push(key),
      connected: true,
      disconnect: async () => void ended.push(key),
      close: async () => void ended.push(key),
    }) as unknown as Upstream
  const shared = connection('files')
  const onlyClient = {}
  const connections = new ClientConnections({
    onlyClient,
    open: (_, key) => connection(key),
    isBusy: ({ key }) => busy.has(key),
  })
  const keyFor = (client: object, hasRoots = true, instanceOwner = client): string =>
    connections.get(shared, { client, instanceOwner, hasRoots }).key
  return { connections, shared, onlyClient, busy, ended, held, released, keyFor }
}

const caller = (client: object) => ({ client, instanceOwner: client, hasRoots: true })

test('clients share a connection until the server requests roots; then its owner keeps it', () => {
  const { connections, shared, keyFor } = setUp()
  const [a, b] = [{}, {}]
  expect([keyFor(a), keyFor(b)]).toEqual(['files', 'files'])
  connections.onRootsRequested(shared, caller(a))
  expect([keyFor(a), keyFor(b), keyFor(b)]).toEqual(['files', 'files 1', 'files 1'])
  expect(connections.ownerOf(shared)).toBe(a)
  expect(connections.ownerOf(connections.get(shared, caller(b)))).toBe(b)
})

test('the only client of a gateway never needs another connection', () => {
  const { connections, shared, onlyClient, keyFor } = setUp()
  connections.onRootsRequested(shared, null)
  expect(keyFor(onlyClient)).toBe('files')
})

test('clients without roots share the connection without roots', () => {
  const { connections, shared, keyFor } = setUp()
  connections.onRootsRequested(shared, null)
  expect([keyFor({}, false), keyFor({}, false), keyFor({})]).toEqual(['files', 'files', 'files 1'])
})

test('the connection of a client ends with it, and the shared one is free after a restart', async () => {
  const { connections, shared, ended, keyFor } = setUp()
  const [a, b] = [{}, {}]
  connections.onRootsRequested(shared, caller(a))
  keyFor(b)
  connections.end(b)
  expect(ended).toEqual(['files 1'])
  connections.end(a)
  expect(ended).toEqual(['files 1', 'files'])
  expect(keyFor({}, false)).toBe('files 2')
  await Promise.resolve()
  Object.assign(shared, { connected: false })
  expect(keyFor(b)).toBe('files')
})

test('at the limit, an idle connection is replaced but not a busy one', () => {
  const { connections, shared, busy, ended, keyFor } = setUp()
  connections.onRootsRequested(shared, null)
  const keys = Array.from({ length: 16 }, () => keyFor({}))
  for (const key of keys.slice(1)) busy.add(key)
  keyFor({})
  expect(ended).toEqual([keys[0]])
  busy.add('files 17')
  expect(() => keyFor({})).toThrow('needs a process for each client')
})

test('a server with an instance per client: clients share nothing, and requests with one token share an instance', async () => {
  const { connections, onlyClient, ended, keyFor } = setUp('per-client')
  const [a, b, token] = [{}, {}, {}]
  expect([keyFor(a), keyFor(b, false), keyFor(a)]).toEqual(['files 1', 'files 2', 'files 1'])
  expect(keyFor(onlyClient)).toBe('files')
  const [request, another] = [{}, {}]
  expect([keyFor(request, true, token), keyFor(another, false, token)]).toEqual(['files 3', 'files 3'])
  connections.end(request)
  expect(ended).toEqual([])
  connections.end(a)
  expect(ended).toEqual(['files 1'])
  expect(keyFor({})).toBe('files 4')
})

test('the instance of a connected client is not replaced at the limit, one that is not running is', () => {
  const { connections, shared, ended, keyFor } = setUp('per-client')
  const clients = Array.from({ length: 16 }, () => ({}))
  for (const client of clients) keyFor(client)
  expect(() => keyFor({})).toThrow('16 of them are in use')
  Object.assign(connections.get(shared, caller(clients[3]!)), { connected: false })
  keyFor({})
  expect(ended).toEqual(['files 4'])
})

test('a client holds the connections that it used until it disconnects', () => {
  const { connections, shared, held, released } = setUp()
  const client = {}
  connections.hold(shared, client)
  connections.hold(shared, client)
  expect(held).toEqual(['files', 'files'])
  connections.end(client)
  connections.end(client)
  expect(released).toEqual(['files'])
})

test('while a client is gone, it holds nothing', () => {
  const { connections, shared, held, released } = setUp()
  const client = {}
  connections.hold(shared, client)
  connections.setPresent(client, false)
  expect([held, released]).toEqual([['files'], ['files']])
  connections.setPresent(client, true)
  expect(held).toEqual(['files', 'files'])
})

test('a client that is gone holds what a task of it starts only when it is back', () => {
  const { connections, shared, held } = setUp()
  const client = {}
  connections.setPresent(client, false)
  connections.hold(shared, client)
  expect(held).toEqual([])
  connections.setPresent(client, true)
  expect(held).toEqual(['files'])
})

test('clients hold what replaces a server that they used', () => {
  const { connections, shared, held, keyFor } = setUp('per-client')
  const [client, other, gone] = [{}, {}, {}]
  const next = connections.get(shared, caller({}))
  connections.hold(shared, client)
  connections.hold(shared, gone)
  connections.setPresent(gone, false)
  keyFor(other)
  connections.replace(shared, next)
  expect(held).toEqual(['files', 'files', 'files 1'])
  connections.replace(shared, next)
  connections.setPresent(gone, true)
  expect(held.slice(3)).toEqual(['files 1'])
})
