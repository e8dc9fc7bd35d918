import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { until } from '../../../../test/support/until.ts'
import { curfew, type Home } from './gateway.ts'

export const token = 'a-token-for-tests'

export interface HttpGateway extends AsyncDisposable {
  readonly url: string
  readonly stderr: () => string
  /** Connects another client. */
  connect(options?: HttpClientOptions): Promise<Client>
}

export interface HttpClientOptions extends ClientOptions {
  /** Called before the client connects, to set handlers. */
  readonly prepare?: (client: Client) => void
}

export const legacy: ClientOptions = { versionNegotiation: { mode: 'legacy' } }
export const modern: ClientOptions = { versionNegotiation: { mode: 'auto' } }

/** Starts `curfew mcp --http` as a process, for any number of clients. */
export async function startHttpGateway(home: Home, args: readonly string[] = []): Promise<HttpGateway> {
  const child = spawn(process.execPath, [curfew, 'mcp', '--http', '--port', '0', ...args], {
    env: { ...home.env, CURFEW_MCP_TOKEN: token },
    cwd: home.folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr = (stderr + chunk).slice(-65_536)
  })
  const listening = /listening on (\S+)/
  await until(() => listening.test(stderr) || child.exitCode !== null)
  const [, url] = listening.exec(stderr) ?? []
  if (url === undefined) throw new Error(`curfew mcp --http did not start. It printed:\n${stderr}`)
  const clients: Client[] = []
  return {
    url,
    stderr: () => stderr,
    async connect({ prepare, ...options }: HttpClientOptions = {}) {
      const client = new Client({ name: 'test-client', version: '1.0.0' }, options)
      prepare?.(client)
      clients.push(client)
      const requestInit = { headers: { authorization: `Bearer ${token}` } }
      await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
      return client
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(clients.map((client) => client.close()))
      await end(child)
    },
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

/** The text of a tool's result. */
export async function textOf(
  client: Client,
  name: string,
  params: Record<string, unknown> = {},
): Promise<string> {
  const { content } = await client.callTool({ name, arguments: params }, { timeout: 40_000 })
  return content.map((part) => (part.type === 'text' ? part.text : `(${part.type})`)).join('\n')
}
