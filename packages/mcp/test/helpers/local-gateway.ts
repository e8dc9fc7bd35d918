import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { onTestFinished } from 'vitest'
import { createGateway, type GatewayOptions } from '../../src/gateway/create-gateway.ts'
import { serveGatewayOverHttp } from '../../src/serve/serve-gateway-http.ts'

export interface LocalGateway {
  /** Connects another client. Both the client and the gateway are closed after the test. */
  connect(options?: LocalClientOptions): Promise<LocalClient>
  /** Closes everything now. */
  close(): Promise<void>
}

export interface LocalClientOptions extends ClientOptions {
  /** @default the first one */
  readonly token?: string
  /** Called before the client connects, to set handlers. */
  readonly prepare?: (client: Client) => void
}

export interface LocalClient {
  readonly client: Client
  /** Calls a tool and returns the text of its result. */
  call(name: string, params?: Record<string, unknown>, signal?: AbortSignal): Promise<string>
  /** Ends the session of a 2025 client. */
  endSession(): Promise<void>
}

/** Serves tools over HTTP in this process, on one port for each token. */
export async function startLocalGateway({
  httpTokens = ['token-a'],
  ...options
}: Partial<GatewayOptions> & { readonly httpTokens?: readonly string[] }): Promise<LocalGateway> {
  const gateway = await createGateway({
    runtime: {},
    tools: [],
    servers: [],
    stateFolder: '/nonexistent',
    log: () => {},
    ...options,
  })
  const urls = new Map<string, string>()
  const closers: (() => Promise<void>)[] = []
  for (const token of httpTokens) {
    const service = await serveGatewayOverHttp(gateway, {
      host: '127.0.0.1',
      port: 0,
      token,
      onerror: () => {},
    })
    urls.set(token, service.url)
    closers.push(() => service.close())
  }
  const close = async (): Promise<void> => {
    await Promise.all(closers.map((closer) => closer()))
    await gateway.close()
  }
  onTestFinished(close)
  return {
    close,
    async connect({ token = httpTokens[0]!, prepare, ...clientOptions } = {}) {
      const client = new Client({ name: 'test', version: '1' }, clientOptions)
      prepare?.(client)
      const requestInit = { headers: { authorization: `Bearer ${token}` } }
      const transport = new StreamableHTTPClientTransport(new URL(urls.get(token)!), { requestInit })
      await client.connect(transport)
      onTestFinished(() => client.close())
      return {
        client,
        async call(name, params = {}, signal) {
          const options = { timeout: 60_000, ...(signal && { signal }) }
          const { content } = await client.callTool({ name, arguments: params }, options)
          return content.map((part) => (part.type === 'text' ? part.text : `(${part.type})`)).join('\n')
        },
        endSession: () => transport.terminateSession(),
      }
    },
  }
}
