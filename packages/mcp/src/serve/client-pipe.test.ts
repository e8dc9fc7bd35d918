import { PassThrough, Writable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { expect, test } from 'vitest'
import { ClientPipe } from './client-pipe.ts'

const ping = (id: number): string => `{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`

/** An output that is not read until it is released. */
function unreadOutput(): { output: Writable; release: () => void } {
  const waiting: (() => void)[] = []
  let isReleased = false
  const output = new Writable({
    write(_chunk, _encoding, done) {
      if (isReleased) done()
      else waiting.push(done)
    },
  })
  const release = (): void => {
    isReleased = true
    for (const done of waiting.splice(0)) done()
  }
  return { output, release }
}

test('the input of a client that does not read its output is paused', async () => {
  const input = new PassThrough()
  const { output, release } = unreadOutput()
  const pipe = new ClientPipe(input, output)
  const received: JSONRPCMessage[] = []
  pipe.onmessage = (message) => {
    received.push(message)
    void pipe.send({ jsonrpc: '2.0', id: received.length, result: { text: 'x'.repeat(1 << 20) } })
  }
  await pipe.start()
  for (let id = 0; id < 100; id++) {
    input.write(ping(id))
    await nextTurn()
  }
  expect(received.length).toBeLessThan(25)
  release()
  while (received.length < 100) await nextTurn()
  await pipe.close()
})

test('notifications to a client that does not read are dropped', async () => {
  const { output } = unreadOutput()
  const pipe = new ClientPipe(new PassThrough(), output)
  const data = 'x'.repeat(1 << 20)
  for (let count = 0; count < 100; count++)
    await pipe.send({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data } })
  expect(output.writableLength).toBeLessThan(20 << 20)
})

test('an output error closes the connection, and later writes are harmless', async () => {
  const output = new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) })
  const pipe = new ClientPipe(new PassThrough(), output)
  const errors: string[] = []
  pipe.onerror = ({ message }) => errors.push(message)
  const closed = new Promise<void>((resolve) => {
    pipe.onclose = resolve
  })
  await pipe.start()
  await pipe.send({ jsonrpc: '2.0', id: 1, result: {} })
  await closed
  output.emit('error', new Error('another EPIPE'))
  expect(errors).toEqual(['EPIPE'])
  await expect(pipe.send({ jsonrpc: '2.0', id: 2, result: {} })).rejects.toThrow(
    'the client has disconnected',
  )
})

test('an input that has ended already closes the connection', async () => {
  const input = new PassThrough()
  input.end().resume()
  while (!input.readableEnded) await nextTurn()
  const pipe = new ClientPipe(input, new PassThrough())
  const closed = new Promise<void>((resolve) => {
    pipe.onclose = resolve
  })
  await pipe.start()
  await closed
})
