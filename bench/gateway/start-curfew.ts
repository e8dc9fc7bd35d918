import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from './client.ts'
import { eventually } from './eventually.ts'
import { httpWire } from './http-wire.ts'
import { type Servers, toMcpServers } from './mcp-servers.ts'
import { curfew } from './programs.ts'
import { startHttpServer, startStdioServer } from './server-process.ts'
import { stdioWire } from './stdio-wire.ts'

/** Lifts the limits on the number of calls; all other policies have their defaults. */
const env = { CURFEW_LIMITS_CALLS_PER_TURN: '1000000', CURFEW_BREAKER_MAX_CALLS_PER_WINDOW: '1000000' }

/** The gateway as most clients start it. */
export async function startCurfew(home: string, servers: Servers, args: readonly string[]): Promise<Client> {
  await writeConfig(home, servers)
  const server = startStdioServer([...curfew, ...args], home, env)
  return await Client.connect((events) => stdioWire(server, events))
}

export async function startCurfewHttp(home: string, servers: Servers): Promise<Client> {
  await writeConfig(home, servers)
  const token = 'only-for-this-bench'
  const server = startHttpServer([...curfew, '--http', '--port', '0'], home, {
    ...env,
    CURFEW_MCP_TOKEN: token,
  })
  const url = await eventually(async () => {
    const found = /http:\/\/[^\s,]+(?=[\s,])/.exec(server.stderrTail())
    if (found === null) throw new Error(`expected the URL on standard error, got ${server.stderrTail()}`)
    return new URL(found[0])
  })
  return await Client.connect((events) => httpWire(url, { authorization: `Bearer ${token}` }, events))
}

async function writeConfig(home: string, servers: Servers): Promise<void> {
  const folder = join(home, '.config', 'curfew')
  await mkdir(folder, { recursive: true })
  const mcpServers = toMcpServers(servers)
  await writeFile(join(folder, 'mcp.json'), JSON.stringify({ mcpServers }))
}
