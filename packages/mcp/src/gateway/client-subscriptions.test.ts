import { expect, test } from 'vitest'
import { ClientSubscriptions } from './client-subscriptions.ts'

const { signal } = new AbortController()

function server(): {
  said: string[]
  subscribe(uri: string): Promise<void>
  unsubscribe(uri: string): Promise<void>
} {
  const said: string[] = []
  return {
    said,
    async subscribe(uri) {
      said.push(`subscribe ${uri}`)
      if (uri === 'no') throw new Error('no')
    },
    async unsubscribe(uri) {
      said.push(`unsubscribe ${uri}`)
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
  expect(upstream.said).not.toContain('unsubscribe a')
  expect([subscriptions.has('a', one), subscriptions.has('a', two)]).toEqual([false, true])
  subscriptions.removeAll(two)
  await subscriptions.add('b', one, signal)
  expect(upstream.said).toContain('unsubscribe a')
})

test('a client that subscribes during an unsubscribe is subscribed afterwards', async () => {
  const upstream = server()
  const subscriptions = new ClientSubscriptions(async () => upstream)
  await subscriptions.add('a', upstream, signal)
  const leaving = subscriptions.remove('a', upstream)
  await subscriptions.add('a', upstream, signal)
  await leaving
  expect(upstream.said.at(-1)).toBe('subscribe a')
  expect(subscriptions.has('a', upstream)).toBe(true)
})

test('a client that leaves before the response is not subscribed', async () => {
  const upstream = server()
  const subscriptions = new ClientSubscriptions(async () => upstream)
  const coming = subscriptions.add('a', upstream, signal)
  while (upstream.said.length === 0) await Promise.resolve()
  await subscriptions.remove('a', upstream)
  await coming
  expect(upstream.said).toEqual(['subscribe a', 'unsubscribe a'])
})

test('a client that leaves before the server is known is not subscribed', async () => {
  const upstream = server()
  const subscriptions = new ClientSubscriptions(async () => upstream)
  const failed: string[] = []
  const release = subscriptions.listen(['a', 'b'], (uri) => failed.push(uri))
  release()
  await subscriptions.add('c', {}, signal)
  expect([upstream.said, failed]).toEqual([['subscribe c'], []])
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
