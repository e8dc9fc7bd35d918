import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { onTestFinished } from 'vitest'
import { newTag, untilNoneLeft } from '../../../../test/support/processes.ts'
import { parseReference } from '../../src/config/reference.ts'
import { type ServerConfig, serverDefaults } from '../../src/config/server-config.ts'
import { createGateway } from '../../src/gateway/create-gateway.ts'
import type { Gateway } from '../../src/gateway/gateway.ts'

/** Reports its label and pid. */
export const labelledServer: string = fileURLToPath(
  new URL('../fixtures/labelled-server.js', import.meta.url),
)

export interface ServerStage {
  readonly gateway: Gateway
  readonly client: Client
  readonly folder: string
  readonly tag: string
  /** The lists that the client was notified of. */
  readonly notified: string[]
  server(name: string, args: readonly string[], settings?: Partial<ServerConfig>): ServerConfig
  call(name: string, params?: Record<string, unknown>): Promise<string>
  tools(): Promise<string[]>
}

/** A gateway in this process with one client. */
export async function stageServers(
  ...servers: readonly [name: string, ...args: string[]][]
): Promise<ServerStage> {
  const tag = newTag()
  const folder = await mkdtemp(join(tmpdir(), 'curfew-servers-'))
  const server: ServerStage['server'] = (name, args, settings = {}) => ({
    ...serverDefaults,
    name,
    file: join(folder, 'mcp.json'),
    root: folder,
    target: {
      kind: 'stdio',
      command: process.execPath,
      args: [labelledServer, ...args],
      env: { TEST_TAG: parseReference(tag) },
      cwd: undefined,
    },
    ...settings,
  })
  const gateway = await createGateway({
    runtime: {
      approval: { default: 'allow' },
      breaker: { failures: 1, maxCallsPerWindow: 1_000_000 },
      limits: { callsPerTurn: 1_000_000 },
      loops: false,
    },
    tools: [],
    servers: servers.map(([name, ...args]) => server(name, args)),
    stateFolder: join(folder, 'state'),
    log: () => {},
  })
  const client = new Client({ name: 'test', version: '1' })
  const notified: string[] = []
  for (const list of ['tools', 'prompts', 'resources'] as const)
    client.setNotificationHandler(`notifications/${list}/list_changed`, () => void notified.push(list))
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  await Promise.all([gateway.createServer('legacy').connect(theirs), client.connect(ours)])
  onTestFinished(async () => {
    await client.close()
    await gateway.close()
    await untilNoneLeft(tag)
    // The state of a server may still be being written.
    await rm(folder, { recursive: true, force: true, maxRetries: 10 })
  })
  return {
    gateway,
    client,
    folder,
    tag,
    notified,
    server,
    async call(name, params = {}) {
      const { content } = await client.callTool({ name, arguments: params }, { timeout: 60_000 })
      return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
    },
    tools: async () =>
      (await client.listTools({}, { cacheMode: 'bypass' })).tools.map(({ name }) => name).sort(),
  }
}
