import { createFakeClock } from '@curfew/core/testing'
import { expect, test } from 'vitest'
import type { Upstream } from '../client/upstream.ts'
import { callWaitMs, listWaitMs, Readiness } from './readiness.ts'

const signal = new AbortController().signal

function setUp(...listings: readonly (object | null)[]) {
  const clock = createFakeClock()
  const starts: number[] = []
  const upstreams = listings.map((listing, index) => ({
    listing,
    otherLists: null,
    problem: null,
    connect: () => {
      starts.push(index)
      return new Promise(() => {})
    },
  })) as unknown as Upstream[]
  const readiness = new Readiness({ servers: { upstreams }, clock, log: () => {}, closing: signal })
  return { clock, readiness, starts, upstreams }
}

test('known servers are neither started nor waited for', async () => {
  const { readiness, starts } = setUp({}, {})
  await readiness.wait(signal, 'tools')
  expect(starts).toEqual([])
})

test('lists wait 3 s for a new server, once; a call of an unknown tool waits longer', async () => {
  const { clock, readiness, starts } = setUp({}, null)
  const waited = async (maxMs?: number): Promise<number> => {
    const start = clock.now()
    await clock.runUntil(readiness.wait(signal, 'tools', maxMs))
    return clock.now() - start
  }
  expect(listWaitMs).toBe(3_000)
  expect(await waited()).toBe(3_000)
  expect(await waited()).toBe(0)
  expect(await waited(callWaitMs)).toBe(callWaitMs - 3_000)
  expect(new Set(starts)).toEqual(new Set([1]))
})

test('the wait ends when all servers are known', async () => {
  const { clock, readiness, upstreams } = setUp(null)
  Object.assign(upstreams[0]!, { connect: async () => {} })
  await readiness.wait(signal, 'tools')
  expect(clock.now()).toBe(0)
})

test('a wait includes a server that replaces one meanwhile', async () => {
  const clock = createFakeClock()
  const started: string[] = []
  const upstream = (name: string, connect: () => Promise<void>): Upstream =>
    ({ name, listing: null, otherLists: null, problem: null, connect }) as unknown as Upstream
  const servers: { upstreams: readonly Upstream[] } = {
    upstreams: [
      upstream('old', async () => {
        servers.upstreams = [upstream('new', async () => void started.push('new'))]
        throw new Error('it was replaced')
      }),
    ],
  }
  const readiness = new Readiness({ servers, clock, log: (line) => started.push(line), closing: signal })
  await readiness.wait(signal, 'tools')
  expect(started).toEqual(['new'])
})
