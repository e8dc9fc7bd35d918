import { execFile, spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { createRuntime } from '@curfew/core'
import { expect, test } from 'vitest'
import { createRuntime as createFromSource } from '../packages/core/src/index.ts'

test.each<[string, () => unknown]>([
  ['a process', () => spawn('true')],
  ['a process and waits for it', () => promisify(execFile)('true')],
  ['a thread', () => new Worker('0', { eval: true })],
])('a unit test cannot start %s', async (_, start) => {
  await expect(async () => await start()).rejects.toThrow(/^expected a unit test, but it starts a .*process/)
})

test.each<[string, () => unknown]>([
  ['a connection', () => connect(1)],
  ['a server', () => createServer().listen(0)],
  ['a datagram socket', () => createSocket('udp4')],
  ['a request', () => fetch('http://127.0.0.1:9999')],
])('a unit test cannot open %s', async (_, open) => {
  const error = await (async () => await open())().catch((error: Error) => error)
  expect(String((error as Error).cause ?? error)).toMatch(/expected a unit test, but it opens a socket/)
})

test('a unit test cannot wait', async () => {
  await expect(sleep(100)).rejects.toThrow('but it waits for 100 ms')
  clearTimeout(setTimeout(() => {}, 100_000))
})

test('unit tests import the sources', () => {
  expect(createRuntime).toBe(createFromSource)
})
