import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { onTestFinished } from 'vitest'
import { createGateway, type GatewayOptions } from '../../src/gateway/create-gateway.ts'
import type { Gateway } from '../../src/gateway/gateway.ts'
import { type ServeGatewayOptions, serveGatewayOverHttp } from '../../src/serve/serve-gateway-http.ts'

export interface LocalGateway {
  readonly gateway: Gateway
  /** Of the first token. */
  readonly url: string
  /** Connects another client. Both the client and the gateway are closed after the test. */
  connect(options?: LocalClientOptions): Promise<LocalClient>
  /** Sends a request of the 2026 protocol without a client, and returns its result. */
  post(token: string, method: string, params: Params): Promise<unknown>
  /** Closes everything now. */
  close(): Promise<void>
}

type Params = { readonly name: string; readonly _meta: object } & Record<string, unknown>

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

export interface LocalGatewayOptions extends Partial<GatewayOptions> {
  readonly httpTokens?: readonly string[]
  /** Further tokens for the first port. */
  readonly profiles?: ServeGatewayOptions['profiles']
}

/** Serves tools over HTTP in this process, on one port for each token. */
export async function startLocalGateway({
  httpTokens = ['token-a'],
  profiles = [],
  ...options
}: LocalGatewayOptions): Promise<LocalGateway> {
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
      profiles: token === httpTokens[0] ? profiles : [],
      onerror: () => {},
    })
    urls.set(token, service.url)
    if (token === httpTokens[0]) for (const limited of profiles) urls.set(limited.token, service.url)
    closers.push(() => service.close())
  }
  const close = async (): Promise<void> => {
    await Promise.all(closers.map((closer) => closer()))
    await gateway.close()
  }
  onTestFinished(close)
  return {
    gateway,
    url: urls.get(httpTokens[0]!)!,
    close,
    async post(token, method, params) {
      const version = '2026-07-28'
      const _meta = { 'io.modelcontextprotocol/protocolVersion': version, ...params._meta }
      const response = await fetch(urls.get(token)!, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
          'mcp-protocol-version': version,
          'mcp-method': method,
          'mcp-name': params.name,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
      })
      const text = (await response.text()).replace(/^event: message\ndata: /, '')
      return (JSON.parse(text) as { result: unknown }).result
    },
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
