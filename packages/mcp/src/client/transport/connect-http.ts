import type { Client, ConnectOptions } from '@modelcontextprotocol/client'
import { findHttpError } from '../http/http-error.ts'
import { HttpTransport, type HttpTransportOptions } from './http-transport.ts'

/** Connects the client. Rejects with an error that contains the URL, the reason and the fix. */
export async function connectHttp(
  client: Client,
  options: HttpTransportOptions,
  connectOptions: ConnectOptions = {},
): Promise<HttpTransport> {
  const { signal } = connectOptions
  signal?.throwIfAborted()
  const transport = new HttpTransport(options)
  const onAbort = (): void => void transport.close()
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    await client.connect(transport, connectOptions)
    return transport
  } catch (error) {
    await transport.close()
    signal?.throwIfAborted()
    throw findHttpError(error, options.shownUrl, transport.redact) ?? error
  } finally {
    signal?.removeEventListener('abort', onAbort)
  }
}
