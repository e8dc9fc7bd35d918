import { expect, test } from 'vitest'
import { Subscriptions } from './subscriptions.ts'

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

test('a server is told to stop by the last who leaves, and only then', async () => {
  const subscriptions = new Subscriptions()
  const upstream = server()
  const [one, two] = [{}, {}]
  await subscriptions.add('a', one, upstream, signal)
  await subscriptions.add('a', two, upstream, signal)
  await subscriptions.remove('a', one)
  await subscriptions.remove('a', one)
  expect(upstream.said).not.toContain('unsubscribe a')
  expect([subscriptions.has('a', one), subscriptions.has('a', two)]).toEqual([false, true])
  subscriptions.removeAll(two)
  await subscriptions.add('b', one, upstream, signal)
  expect(upstream.said).toContain('unsubscribe a')
})

test('who comes while the server is told to stop is heard after that', async () => {
  const subscriptions = new Subscriptions()
  const upstream = server()
  await subscriptions.add('a', upstream, upstream, signal)
  const leaving = subscriptions.remove('a', upstream)
  await subscriptions.add('a', upstream, upstream, signal)
  await leaving
  expect(upstream.said.at(-1)).toBe('subscribe a')
  expect(subscriptions.has('a', upstream)).toBe(true)
})

test('who leaves before the server has answered is not held', async () => {
  const subscriptions = new Subscriptions()
  const upstream = server()
  const coming = subscriptions.add('a', upstream, upstream, signal)
  await subscriptions.remove('a', upstream)
  await coming
  expect(upstream.said).toEqual(['subscribe a', 'unsubscribe a'])
})

test('what a server refuses is not held, and there is a limit to all', async () => {
  const subscriptions = new Subscriptions()
  const upstream = server()
  await expect(subscriptions.add('no', upstream, upstream, signal)).rejects.toThrow('no')
  for (let i = 0; i < 1_000; i++) await subscriptions.add(String(i), upstream, upstream, signal)
  await expect(subscriptions.add('more', upstream, upstream, signal)).rejects.toThrow('1000 resources')
  await subscriptions.add('7', {}, upstream, signal)
  await subscriptions.remove('8', upstream)
  await subscriptions.add('more', upstream, upstream, signal)
})
