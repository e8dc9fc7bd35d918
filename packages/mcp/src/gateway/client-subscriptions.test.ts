import { expect, test } from 'vitest'
import { ClientSubscriptions } from './client-subscriptions.ts'

const { signal } = new AbortController()

function server(): {
  requests: string[]
  subscribe(uri: string): Promise<void>
  unsubscribe(uri: string): Promise<void>
} {
  const requests: string[] = []
  return {
    requests,
    async subscribe(uri) {
      requests.push(`subscribe ${uri}`)
      if (uri === 'no') throw new Error('no')
    },
    async unsubscribe(uri) {
      requests.push(`unsubscribe ${uri}`)
    },
  }
}

test('only the last client to leave unsubscribes at the server', async () => {
  const upstream = server()
  const subscriptions = new ClientSubscriptions(async () => upstream)
  const [one, two] = [{}, {}]
  await subscriptions.add('a', one, signal)
  await subscriptions.add('a', two, signal)
  await subscriptions.remove('a', one)
  await subscriptions.remove('a', one)
  expect(upstream.requests).not.toContain('unsubscribe a')
  expect([subscriptions.has('a', one), subscriptions.has('a', two)]).toEqual([false, true])
  subscriptions.removeAll(two)
  await subscriptions.add('b', one, signal)
  expect(upstream.requests).toContain('unsubscribe a')
})

test('a client that subscribes during an unsubscribe is subscribed afterwards', async () => {
  const upstream = server()
  const subscriptions = new ClientSubscriptions(async () => upstream)
  await subscriptions.add('a', upstream, signal)
  const removing = subscriptions.remove('a', upstream)
  await subscriptions.add('a', upstream, signal)
  await removing
  expect(upstream.requests.at(-1)).toBe('subscribe a')
  expect(subscriptions.has('a', upstream)).toBe(true)
})

test('a client that leaves before the response is not subscribed', async () => {
  const upstream = server()
  const subscriptions = new ClientSubscriptions(async () => upstream)
  const adding = subscriptions.add('a', upstream, signal)
  while (upstream.requests.length === 0) await Promise.resolve()
  await subscriptions.remove('a', upstream)
  await adding
  expect(upstream.requests).toEqual(['subscribe a', 'unsubscribe a'])
})

test('a client that leaves before the server is known is not subscribed', async () => {
  const upstream = server()
  const subscriptions = new ClientSubscriptions(async () => upstream)
  const failed: string[] = []
  const release = subscriptions.listen(['a', 'b'], (uri) => failed.push(uri))
  release()
  await subscriptions.add('c', {}, signal)
  expect([upstream.requests, failed]).toEqual([['subscribe c'], []])
})

test('a rejected subscription is removed, and the total is limited', async () => {
  const upstream = server()
  const subscriptions = new ClientSubscriptions(async () => upstream)
  await expect(subscriptions.add('no', upstream, signal)).rejects.toThrow('no')
  for (let i = 0; i < 1_000; i++) await subscriptions.add(String(i), upstream, signal)
  await expect(subscriptions.add('more', upstream, signal)).rejects.toThrow('1000 resources')
  await subscriptions.add('7', {}, signal)
  await subscriptions.remove('8', upstream)
  await subscriptions.add('more', upstream, signal)
})
