import { expect, test } from 'vitest'
import type { Upstream } from '../client/upstream.ts'
import { ClientConnections } from './client-connections.ts'

function setUp() {
  const ended: string[] = []
  const busy = new Set<string>()
  const connection = (key: string): Upstream =>
    ({
      name: 'files',
      key,
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
  const keyFor = (client: object, hasRoots = true): string =>
    connections.get(shared, { client, hasRoots }).key
  return { connections, shared, onlyClient, busy, ended, keyFor }
}

test('clients share a connection until the server requests roots; then its owner keeps it', () => {
  const { connections, shared, keyFor } = setUp()
  const [a, b] = [{}, {}]
  expect([keyFor(a), keyFor(b)]).toEqual(['files', 'files'])
  connections.onRootsRequested(shared, { client: a, hasRoots: true })
  expect([keyFor(a), keyFor(b), keyFor(b)]).toEqual(['files', 'files 1', 'files 1'])
  expect(connections.ownerOf(shared)).toBe(a)
  expect(connections.ownerOf(connections.get(shared, { client: b, hasRoots: true }))).toBe(b)
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
  connections.onRootsRequested(shared, { client: a, hasRoots: true })
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
