import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Client } from './client.ts'
import { httpWire, sseWire } from './http-wire.ts'
import { type ServerOptions, startHttpServer, startStdioServer } from './server-process.ts'
import { stdioWire } from './stdio-wire.ts'
import { type WireEvents, within } from './wire.ts'

export type SideName =
  | 'direct stdio'
  | 'curfew stdio'
  | 'direct HTTP'
  | 'curfew HTTP'
  | 'mcp-proxy'
  | 'supergateway'
  | 'mcp-hub'

/** A way to the `echo` tool. */
export interface McpSide {
  readonly name: SideName
  readonly client: Client
  /** What the tool is called there. */
  readonly tool: string
}

const patience = 30_000
const node = process.execPath
const everything = pathOf('../../node_modules/@modelcontextprotocol/server-everything/dist/index.js')
const command: readonly [string, ...string[]] = [node, everything, 'stdio']

/** Starts all sides, each in front of its own server-everything. */
export async function startSides(home: string): Promise<McpSide[]> {
  return [
    await side('direct stdio', 'echo', () => overStdio(command, { home })),
    await side('curfew stdio', 'mcp__everything__echo', () => curfewStdio(home)),
    await side('direct HTTP', 'echo', () => directHttp(home)),
    await side('curfew HTTP', 'mcp__everything__echo', () => curfewHttp(home)),
    await side('mcp-proxy', 'echo', () => mcpProxy(home)),
    await side('supergateway', 'echo', () => supergateway(home)),
    await side('mcp-hub', 'everything__echo', () => mcpHub(home)),
  ]
}

async function side(name: SideName, tool: string, connect: () => Promise<Client>): Promise<McpSide> {
  try {
    const client = await connect()
    // A gateway may listen before its server has started.
    await eventually(() => echo(client, tool, 'are you there?'))
    return { name, client, tool }
  } catch (error) {
    throw new Error(`${name} could not be started`, { cause: error })
  }
}

/** The answer is checked, as an error can be quicker than an echo. */
export async function echo(client: Client, tool: string, message: string): Promise<void> {
  const result = await client.request('tools/call', { name: tool, arguments: { message } })
  const { content } = result as { content: readonly { text: string }[] }
  if (content[0]?.text !== `Echo: ${message}`) throw new Error(`answered ${JSON.stringify(result)}`)
}

async function curfewStdio(home: string): Promise<Client> {
  await writeCurfewConfig(home, { everything: command })
  return await overStdio(curfewCommand(), { home })
}

async function curfewHttp(home: string): Promise<Client> {
  await writeCurfewConfig(home, { everything: command })
  const token = 'only-for-this-bench'
  const child = startHttpServer([...curfewCommand(), '--http', '--port', '0'], {
    home,
    env: { CURFEW_MCP_TOKEN: token },
  })
  const url = await eventually(async () => new URL(/http:\/\/[^\s,]+(?=[\s,])/.exec(child.said())![0]))
  return await Client.connect((events) => httpWire(url, { authorization: `Bearer ${token}` }, events))
}

async function directHttp(home: string): Promise<Client> {
  const port = await freePort()
  startHttpServer([node, everything, 'streamableHttp'], { home, env: { PORT: String(port) } })
  return await overHttp(port)
}

async function mcpProxy(home: string): Promise<Client> {
  const port = await freePort()
  const program = pathOf('../node_modules/mcp-proxy/dist/bin/mcp-proxy.mjs')
  const args = ['--host', '127.0.0.1', '--port', String(port), '--server', 'stream', '--']
  startHttpServer([node, program, ...args, ...command], { home })
  return await overHttp(port)
}

/** With sessions: without them it starts a server for each request. */
async function supergateway(home: string): Promise<Client> {
  const port = await freePort()
  const program = pathOf('../node_modules/supergateway/dist/index.js')
  const args = ['--outputTransport', 'streamableHttp', '--stateful', '--logLevel', 'none']
  const quoted = command.map((word) => `'${word}'`).join(' ')
  startHttpServer([node, program, ...args, '--port', String(port), '--stdio', quoted], { home })
  return await overHttp(port)
}

/** It serves by the older transport only. */
async function mcpHub(home: string): Promise<Client> {
  const port = await freePort()
  const config = join(home, 'mcp-hub.json')
  const [file, ...args] = command
  await writeFile(config, JSON.stringify({ mcpServers: { everything: { command: file, args } } }))
  const program = pathOf('../node_modules/mcp-hub/dist/cli.js')
  startHttpServer([node, program, '--port', String(port), '--config', config], { home })
  const url = new URL(`http://127.0.0.1:${port}/mcp`)
  return await connectEventually((events) => sseWire(url, events))
}

export function curfewCommand(): [string, ...string[]] {
  return [node, pathOf('../../packages/cli/bin/curfew.cjs'), 'mcp']
}

/** `mcp.json` below the home of the side. */
export async function writeCurfewConfig(
  home: string,
  servers: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  const folder = join(home, '.config', 'curfew')
  await mkdir(folder, { recursive: true })
  const mcpServers = Object.fromEntries(
    Object.entries(servers).map(([name, [file, ...args]]) => [name, { command: file, args }]),
  )
  await writeFile(join(folder, 'mcp.json'), JSON.stringify({ mcpServers }))
}

export async function overStdio(
  argv: readonly [string, ...string[]],
  options: ServerOptions,
): Promise<Client> {
  const child = startStdioServer(argv, options)
  try {
    return await Client.connect((events) => stdioWire(child.stdin, child.stdout, events))
  } catch (error) {
    throw new Error(`${argv.join(' ')} said: ${child.said()}`, { cause: error })
  }
}

async function overHttp(port: number): Promise<Client> {
  const url = new URL(`http://127.0.0.1:${port}/mcp`)
  return await connectEventually((events) => httpWire(url, {}, events))
}

async function connectEventually(open: Parameters<typeof Client.connect>[0]): Promise<Client> {
  return await eventually(() => Client.connect((events: WireEvents) => open(events)))
}

async function eventually<T>(attempt: () => Promise<T>): Promise<T> {
  const end = performance.now() + patience
  for (;;) {
    try {
      return await within(patience, attempt())
    } catch (error) {
      if (performance.now() > end) throw error
      await sleep(100)
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

function pathOf(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url))
}
