import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

export type HttpClient = Client

/** Connects the SDK's client to a gateway. */
export async function connectOverHttp(url: URL, token: string): Promise<HttpClient> {
  const client = new Client({ name: 'test', version: '1' })
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }))
  return client
}
