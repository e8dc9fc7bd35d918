import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { boundedFetch } from '../src/models/bounded-fetch.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(async () => {
    server.closeAllConnections()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

/** Sends data until the client leaves. */
const flood =
  (status: number): RequestListener =>
  (_, response) => {
    const chunk = Buffer.alloc(1024 * 1024, 'x')
    response.writeHead(status)
    const send = (): void => {
      while (!response.destroyed && response.write(chunk));
    }
    response.on('drain', send)
    send()
  }

test('an endless error is cut off', { timeout: 60_000 }, async () => {
  const url = await serve(flood(500))
  const response = await boundedFetch(url)(`${url}/messages`, { method: 'POST' })
  expect(response.status).toBe(500)
  expect((await response.text()).length).toBeLessThanOrEqual(256 * 1024)
})

test('an endless response is an error', { timeout: 60_000 }, async () => {
  const url = await serve(flood(200))
  const response = await boundedFetch(url)(`${url}/messages`, { method: 'POST' })
  await expect(response.text()).rejects.toThrow('the response exceeds 67108864 bytes')
})

test('a request to another server is rejected', async () => {
  await expect(boundedFetch('https://a.example/v1')('https://b.example/v1')).rejects.toThrow(
    'expected a request to https://a.example, got one to https://b.example',
  )
})

test('an abort ends the response', async () => {
  const url = await serve((_, response) => response.writeHead(200).write('x'))
  const controller = new AbortController()
  const response = await boundedFetch(url)(url, { signal: controller.signal })
  const text = response.text()
  controller.abort()
  await expect(text).rejects.toThrow(/abort/)
})
