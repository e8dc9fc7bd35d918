import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { StdioTransport } from '../src/client/transport/stdio-transport.ts'
import { remoteUpstream } from './helpers/remote-upstream.ts'
import { stdioUpstream } from './helpers/stdio-upstream.ts'

const signal = new AbortController().signal

test("a secret in a server's arguments is filled in when it is started", async () => {
  const { upstream: plain } = await stdioUpstream()
  const { target } = plain.config
  if (target.kind !== 'stdio') throw new Error('it is a process')
  const args = [...target.args, ['--dsn=', { secret: 'DSN' }]]
  const { upstream } = await stdioUpstream({
    settings: { target: { ...target, args } },
    readSecret: async (name) => `value of ${name}`,
  })
  expect(upstream.secrets).toEqual(['KEY', 'DSN'])
  const { pid } = (await upstream.connect(signal)).transport as StdioTransport
  expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')).toContain('--dsn=value of DSN')
})

test.each([404, 500])(
  'a secret in a URL is sent, bound to its host, and not shown in errors (%i)',
  async (status) => {
    const seen: string[] = []
    const server = createServer((request, response) => {
      seen.push(request.url ?? '')
      response.writeHead(status).end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const { port } = server.address() as AddressInfo
    const { upstream } = await remoteUpstream({
      url: `http://127.0.0.1:${port}/s/%7Bsecret:PATH_KEY%7D/mcp?key={secret:QUERY_KEY}`,
      address: [`http://127.0.0.1:${port}/s/`, { secret: 'PATH_KEY' }, '/mcp?key=', { secret: 'QUERY_KEY' }],
    })
    expect(upstream.secrets).toEqual(['PATH_KEY', 'QUERY_KEY'])
    expect(upstream.secretUse).toBe(`host:127.0.0.1:${port}`)
    const error = await upstream.connect(signal).catch((thrown: Error) => thrown)
    expect(seen[0]).toBe('/s/value-of-PATH_KEY/mcp?key=value-of-QUERY_KEY')
    expect(String(error)).toContain(`http://127.0.0.1:${port}/s/{secret:PATH_KEY}/mcp`)
    expect(String(error)).not.toContain('value-of')
  },
)
