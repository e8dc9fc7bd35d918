import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, test } from 'vitest'
import { openSecretPage } from '../src/secret-page/secret-page.ts'
import { serveHttp } from '../src/serve/serve-http.ts'

const token = 'a-token-for-tests'
const cleanUps: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const clean of cleanUps.splice(0)) await clean()
})

const listeners = {
  'the endpoint': async () => {
    const errors: Error[] = []
    const onerror = (error: Error): void => void errors.push(error)
    const createServer = (): never => expect.fail()
    const service = await serveHttp({ createServer, host: '127.0.0.1', port: 0, token, onerror })
    cleanUps.push(async () => {
      await service.close()
      expect(errors).toEqual([])
    })
    return { url: new URL(service.url), status: 400 }
  },
  'the page for a secret': async () => {
    const { signal } = new AbortController()
    const page = await openSecretPage({ key: 'A_KEY', use: null, message: 'It is needed.', signal })
    cleanUps.push(() => page.close())
    return { url: new URL(page.url), status: 200 }
  },
}

/** The response; empty if the connection was closed. */
async function send({ hostname, port }: URL, head: readonly string[]): Promise<string> {
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  const lines = [...head, `Authorization: Bearer ${token}`, 'Accept: text/event-stream', 'Connection: close']
  socket.write(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  return await text(socket)
}

describe.each(Object.entries(listeners))('%s', (_, open) => {
  test('rejects requests with unusual targets and continues', async () => {
    const { url, status } = await open()
    const host = `Host: ${url.host}`
    const requests = [
      ['GET // HTTP/1.1', host],
      ['GET //[ HTTP/1.1', host],
      ['GET /% HTTP/1.1', host],
      ['GET /%zz%ff?%=% HTTP/1.1', host],
      ['GET /\xff\xfe HTTP/1.1', host],
      ['GET ? HTTP/1.1', host],
      ['OPTIONS * HTTP/1.1', host],
      ['GET http:// HTTP/1.1', host],
      ['GET http://[::1/ HTTP/1.1', host],
      ['GET http://evil.example/mcp HTTP/1.1', host],
      ['CONNECT evil.example:443 HTTP/1.1', host],
      ['PRI * HTTP/2.0', host],
      [`GET ${url.pathname} HTTP/1.1`, 'Host: %'],
      [`GET ${url.pathname} HTTP/1.1`, 'Host: [::1'],
      [`GET ${url.pathname} HTTP/1.1`, 'Host: //'],
      [`GET ${url.pathname} HTTP/1.0`],
      [`POST ${url.pathname} HTTP/1.1`, host, 'Origin: http://%', 'Content-Length: 0'],
      [`GET ${url.pathname} HTTP/1.1`, host, 'Mcp-Session-Id: %ff', 'Mcp-Protocol-Version: \xff'],
    ]
    for (const head of requests) {
      const answer = await send(url, head)
      // Requests with more headers have a valid target, so they may succeed.
      const expected = head.length < 4 ? /^$|^HTTP\/1\.1 4\d\d / : /^$|^HTTP\/1\.1 [1-4]/
      expect(answer, head.join()).toMatch(expected)
    }
    expect(await send(url, [`GET ${url.pathname} HTTP/1.1`, host])).toMatch(`HTTP/1.1 ${status} `)
  })
})
