import { type AddressInfo, createServer, type Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { guardSockets } from '@curfew/core/internal'
import { afterEach, expect, test } from 'vitest'

let server: Server
afterEach(async () => {
  await new Promise((resolve) => server.close(resolve))
})

const size = 1_000_000

test.each([
  ['with a length', `content-length: ${size}\r\n`],
  ['without a length', ''],
])(
  'a response %s is complete, and nothing is uncaught, if the server closes before it is read',
  async (_, header) => {
    guardSockets()
    server = createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => {
        socket.end(`HTTP/1.1 200 OK\r\nconnection: close\r\n${header}\r\n${'x'.repeat(size)}`)
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    for (let run = 0; run < 10; run++) {
      const response = await fetch(url)
      let received = 0
      for await (const chunk of response.body!) {
        received += chunk.byteLength
        // Slower than the network, so that the parser is paused when the connection ends.
        await sleep(2)
      }
      expect(received).toBe(size)
    }
  },
)
