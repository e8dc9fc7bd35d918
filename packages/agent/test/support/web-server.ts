import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** An HTTP server on loopback that records what it was asked for. It is closed when the test ends. */
export async function startWebServer(listener: RequestListener) {
  const requests: string[] = []
  const headers: (string | undefined)[][] = []
  const server = createServer((request, response) => {
    requests.push(request.url!)
    headers.push(request.rawHeaders)
    listener(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  return { port, requests, headers, origin: `http://127.0.0.1:${port}` }
}
