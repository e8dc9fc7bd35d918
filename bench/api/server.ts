import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from '../side.ts'

export interface ServerTasks {
  /** Starts listening; returns the origin. */
  listen(): Promise<string>
}

const answer = JSON.stringify({ ok: true, items: [1, 2, 3], text: 'x'.repeat(400) })
const server = createServer((_request, response) => {
  response.setHeader('content-type', 'application/json')
  response.end(answer)
})
// Longer than any pause between two rounds, so that no round has to reconnect.
server.keepAliveTimeout = 60_000

serve<ServerTasks>({
  listen: () =>
    new Promise((resolve) => {
      server.listen(0, '127.0.0.1', () =>
        resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
      )
    }),
})
