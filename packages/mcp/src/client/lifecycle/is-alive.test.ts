import { createFakeClock } from '@curfew/core/testing'
import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { aliveTimeoutMs, isAlive } from './is-alive.ts'

/** A client of a server that answers, rejects or ignores pings. */
async function connect(pings: 'answered' | 'rejected' | 'ignored'): Promise<Client> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  theirs.onmessage = (message) => {
    if (!('id' in message) || !('method' in message)) return
    const { id, method } = message
    if (method === 'ping' && pings === 'ignored') return
    const error = { code: -32_601, message: 'no' }
    const serverInfo = { name: 'test', version: '1' }
    const result = method === 'ping' ? {} : { protocolVersion: '2025-11-25', capabilities: {}, serverInfo }
    void theirs.send({
      jsonrpc: '2.0',
      id,
      ...(method === 'ping' && pings === 'rejected' ? { error } : { result }),
    })
  }
  await theirs.start()
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(ours)
  return client
}

test.for(['answered', 'rejected'] as const)('a server whose pings are %s is alive', async (pings) => {
  const clock = createFakeClock()
  expect(await isAlive(await connect(pings), clock)).toBe(true)
  expect(clock.pending).toBe(0)
})

test('a server that does not answer for 5 s is not alive', async () => {
  const clock = createFakeClock()
  const alive = isAlive(await connect('ignored'), clock)
  await clock.advance(aliveTimeoutMs)
  expect(await alive).toBe(false)
})

test('a server that has exited does not count as hanging', async () => {
  const clock = createFakeClock()
  const client = await connect('ignored')
  const alive = isAlive(client, clock)
  await client.close()
  expect(await alive).toBe(true)
  expect(clock.pending).toBe(0)
})
