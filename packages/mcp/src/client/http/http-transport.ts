import type { Client, ConnectOptions, OAuthClientProvider, Transport } from '@modelcontextprotocol/client'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
export interface HttpTransportOptions { readonly kind: 'http' | 'sse'; readonly url: string; readonly headers: Readonly<Record<string, string>>; readonly auth: OAuthClientProvider | undefined }
export async function connectHttp(client: Client, options: HttpTransportOptions, connect: ConnectOptions): Promise<Transport> {
  const t = new StreamableHTTPClientTransport(new URL(options.url), { requestInit: { headers: { ...options.headers } } })
  await client.connect(t, connect)
  return t
}
