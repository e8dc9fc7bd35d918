import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { Client } from './client.ts'
import { eventually } from './eventually.ts'
import { httpWire, sseWire } from './http-wire.ts'
import { type Servers, toMcpServers } from './mcp-servers.ts'
import { everything, mcpHub, mcpProxy, supergateway } from './programs.ts'
import { startHttpServer, startStdioServer } from './server-process.ts'
import { stdioWire } from './stdio-wire.ts'

/** server-everything without a gateway. */
export async function startDirect(home: string): Promise<Client> {
  const server = startStdioServer([...everything, 'stdio'], home)
  return await Client.connect((events) => stdioWire(server, events))
}

export async function startDirectHttp(home: string): Promise<Client> {
  const port = await freePort()
  startHttpServer([...everything, 'streamableHttp'], home, { PORT: port })
  return await connect(port)
}

export async function startMcpProxy(home: string): Promise<Client> {
  const port = await freePort()
  const options = ['--host', '127.0.0.1', '--port', port, '--server', 'stream']
  startHttpServer([...mcpProxy, ...options, '--', ...everything, 'stdio'], home)
  return await connect(port)
}

/** With sessions, because without them it starts a server for each request. */
export async function startSupergateway(home: string): Promise<Client> {
  const port = await freePort()
  const command = [...everything, 'stdio'].map((word) => `'${word}'`).join(' ')
  const options = ['--outputTransport', 'streamableHttp', '--stateful', '--logLevel', 'none', '--port', port]
  startHttpServer([...supergateway, ...options, '--stdio', command], home)
  return await connect(port)
}

/** It only has the older transport. */
export async function startMcpHub(
  home: string,
  servers: Servers = { everything: [...everything, 'stdio'] },
): Promise<Client> {
  const port = await freePort()
  const config = join(home, 'mcp-hub.json')
  const mcpServers = toMcpServers(servers)
  await writeFile(config, JSON.stringify({ mcpServers }))
  startHttpServer([...mcpHub, '--port', port, '--config', config], home)
  return await eventually(() => Client.connect((events) => sseWire(endpoint(port), events)))
}

async function connect(port: string): Promise<Client> {
  return await eventually(() => Client.connect((events) => httpWire(endpoint(port), {}, events)))
}

function endpoint(port: string): URL {
  return new URL(`http://127.0.0.1:${port}/mcp`)
}

async function freePort(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return String(port)
}
