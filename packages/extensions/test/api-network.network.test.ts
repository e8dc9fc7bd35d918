import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createHttpServer, request } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { messageOf, useApis } from './support/api-files.ts'
import { type ApiServer, closed, listen } from './support/api-server.ts'

const apis = useApis()
let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'curfew-certificates-'))
  for (const [name, host] of [
    ['local', 'IP:127.0.0.1'],
    ['elsewhere', 'DNS:elsewhere.example'],
  ]) {
    const options = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
    const files = ['-keyout', `${folder}/${name}.key`, '-out', `${folder}/${name}.pem`]
    const subject = ['-subj', '/CN=curfew-test', '-addext', `subjectAltName=${host}`]
    execFileSync('openssl', ['req', ...options, ...files, ...subject], { stdio: 'ignore' })
  }
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function serveTls(name: 'local' | 'elsewhere', location?: string): Promise<ApiServer> {
  const credentials = {
    key: readFileSync(join(folder, `${name}.key`)),
    cert: readFileSync(join(folder, `${name}.pem`)),
  }
  const server = createHttpsServer(credentials, (_request, response) => {
    if (location === undefined) response.end('hello')
    else response.writeHead(302, { location }).end()
  })
  return apis.closeLater(await listen(server as never, 'https'))
}

interface Outcome {
  readonly status: string
  readonly code?: string
  readonly message?: string
  readonly value?: unknown
}

/** Runs the call in another process, because proxies and certificate authorities are read from the environment. */
async function callInProcess(
  endpoint: object,
  env: Record<string, string>,
  timeout = 20_000,
): Promise<Outcome> {
  apis.files.write('probe', { description: 'Ask.', endpoint })
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    cwd: import.meta.dirname,
    env: { ...process.env, HOME: apis.files.home, XDG_CONFIG_HOME: '', TIMEOUT: String(timeout), ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [output] = await Promise.all([text(child.stdout), once(child, 'close')])
  return JSON.parse(output) as Outcome
}

const program = `
import { createRuntime } from '@curfew/core'
import { loadExtensions } from '@curfew/extensions'
const { tools } = await loadExtensions({ cwd: process.env.HOME })
const runtime = createRuntime({ log: () => {} })
runtime.register(tools.map(({ tool }) => tool))
const [result] = await runtime.execute([{ id: '1', name: 'api_probe', timeout: Number(process.env.TIMEOUT) }])
console.log(JSON.stringify(result))
`

describe('certificates', () => {
  test.each([
    ['self-signed', 'local', /self-signed certificate.+\(DEPTH_ZERO_SELF_SIGNED_CERT\)/],
    ['of another host', 'elsewhere', /certificate is not valid/],
  ] as const)('%s fails with a clear error', async (_name, name, expected) => {
    const server = await serveTls(name)
    const result = await apis.files.send({ url: server.url })
    expect(result).toMatchObject({ code: 'TRANSPORT_FAILED' })
    expect(messageOf(result)).toMatch(
      /certificate is not valid.+Certificates are always verified.+NODE_EXTRA_CA_CERTS/,
    )
    expect(messageOf(result)).toMatch(expected)
  })

  test('verification cannot be turned off, but your own certificate authority is trusted', async () => {
    const server = await serveTls('local')
    const misnamed = await serveTls('elsewhere')
    const careless = await callInProcess(
      { url: server.url },
      { NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_NO_WARNINGS: '1' },
    )
    expect(careless).toMatchObject({ code: 'TRANSPORT_FAILED' })
    expect(
      await callInProcess({ url: server.url }, { NODE_EXTRA_CA_CERTS: join(folder, 'local.pem') }),
    ).toMatchObject({
      status: 'success',
      value: 'hello',
    })
    const other = await callInProcess(
      { url: misnamed.url },
      { NODE_EXTRA_CA_CERTS: join(folder, 'elsewhere.pem') },
    )
    expect(other.message).toMatch(/does not match certificate's altnames|certificate is not valid/)
  })

  test('a redirect from https to http is not followed', async () => {
    const plain = await apis.serve()
    const server = await serveTls('local', plain.url)
    const result = await callInProcess(
      { url: server.url },
      { NODE_EXTRA_CA_CERTS: join(folder, 'local.pem') },
    )
    expect(result).toMatchObject({ code: 'TOOL_FAILED' })
    expect(result.message).toContain('redirects from https to http')
    expect(plain.seen).toEqual([])
  })
})

describe('a proxy in the environment', () => {
  /** Records the requests. */
  async function startProxy(): Promise<ApiServer & { readonly requests: string[] }> {
    const requests: string[] = []
    const server = createHttpServer((incoming, response) => {
      requests.push(`${incoming.method} ${incoming.url}`)
      const { method, headers } = incoming
      const upstream = request(incoming.url!, { method: method!, headers }, (proxied) => {
        response.writeHead(proxied.statusCode!, proxied.headers)
        proxied.pipe(response)
      })
      incoming.pipe(upstream)
    })
    server.on('connect', (incoming, socket) => {
      requests.push(`CONNECT ${incoming.url}`)
      const { hostname, port } = new URL(`http://${incoming.url}`)
      const upstream = connect(Number(port), hostname, () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        upstream.pipe(socket)
        socket.pipe(upstream)
      })
      upstream.on('error', () => socket.destroy())
      socket.on('error', () => upstream.destroy())
    })
    return Object.assign(apis.closeLater(await listen(server, 'http')), { requests })
  }

  test('handles http requests itself, and tunnels https without seeing the headers', async () => {
    const proxy = await startProxy()
    const plain = await apis.serve()
    const tls = await serveTls('local')
    const env = {
      HTTP_PROXY: proxy.url,
      HTTPS_PROXY: proxy.url,
      NODE_EXTRA_CA_CERTS: join(folder, 'local.pem'),
    }
    expect(await callInProcess({ url: `${plain.url}/a?b=c` }, env)).toMatchObject({ value: { path: '/a' } })
    expect(await callInProcess({ url: tls.url }, env)).toMatchObject({ value: 'hello' })
    expect(proxy.requests).toEqual([`GET ${plain.url}/a?b=c`, `CONNECT ${tls.host}`])
    expect(await callInProcess({ url: plain.url }, { ...env, NO_PROXY: '127.0.0.1' })).toMatchObject({
      status: 'success',
    })
    expect(proxy.requests).toHaveLength(2)
  })

  test('certificates are verified through the tunnel', async () => {
    const proxy = await startProxy()
    const tls = await serveTls('local')
    const result = await callInProcess({ url: tls.url }, { https_proxy: proxy.url })
    expect(result.message).toContain('certificate is not valid')
  })

  test.each(['http', 'https'])(
    'that does not respond: a call to %s ends at the deadline and the socket is closed',
    async (scheme) => {
      const proxy = apis.closeLater(
        await listen(
          createHttpServer(() => {}).on(
            'connect',
            (_request, socket) => void socket.resume().on('end', () => socket.end()),
          ),
          'http',
        ),
      )
      const env = { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url }
      const result = await callInProcess({ url: `${scheme}://127.0.0.1:9/` }, env, 3_000)
      expect(result).toMatchObject({ code: 'TOOL_TIMEOUT' })
      await closed(proxy.sockets[0]!)
    },
  )

  test.each([
    ['that rejects connections', 'http://127.0.0.1:1', /failed: .+/],
    ['that is not a URL', 'not a proxy', /through the proxy in the environment failed/],
  ])('%s: the call fails with a clear error', async (_name, proxy, expected) => {
    const result = await callInProcess({ url: 'https://127.0.0.1:9/' }, { HTTPS_PROXY: proxy })
    expect(result).toMatchObject({ code: 'TRANSPORT_FAILED' })
    expect(result.message).toMatch(expected)
  })
})

test('an idle connection does not keep the process running', async () => {
  const server = await apis.serve()
  const start = performance.now()
  expect(await callInProcess({ url: server.url }, {})).toMatchObject({ status: 'success' })
  expect(performance.now() - start).toBeLessThan(20_000)
})

test('https to a plain http server is reported as such', async () => {
  const server = await apis.serve()
  const result = await apis.files.send({ url: server.url.replace('http:', 'https:') })
  expect(result).toMatchObject({ code: 'TRANSPORT_FAILED' })
  expect(messageOf(result)).toMatch(/failed: the server does not use TLS/)
})
