import { type Progress, type RequestOptions, specTypeSchemas } from '@modelcontextprotocol/client'
import { noSdkTimeout } from '../../async/no-sdk-timeout.ts'
import type { Connection } from './create-client.ts'

export interface UpstreamRequest {
  readonly method: string
  readonly params: Record<string, unknown>
}

export interface SendOptions {
  readonly signal: AbortSignal
  readonly onProgress?: ((progress: Progress) => void) | undefined
  /** Return the questions of a 2026-07-28 server as the result, instead of passing them to the bridge. @default false */
  readonly allowInputRequired?: boolean | undefined
}

/** Sends one request, always with a progress token. If the signal is aborted, the server is notified. */
export async function sendRequest(
  { client, transport }: Connection,
  { method, params }: UpstreamRequest,
  { signal, onProgress, allowInputRequired = false }: SendOptions,
): Promise<Record<string, unknown>> {
  const options: RequestOptions = {
    signal,
    timeout: noSdkTimeout,
    allowInputRequired,
    onprogress: (progress) => onProgress?.(progress),
  }
  // Only `callTool` copies arguments into headers, which a transport with a stream per request needs.
  if (method === 'tools/call' && transport.hasPerRequestStream === true)
    return await client.callTool(params as never, options)
  // Without a schema, the SDK looks one up for each request, which is ten times as expensive as validating the result.
  if (method === 'tools/call')
    return await client.request({ method, params }, specTypeSchemas.CallToolResult, options)
  return (await client.request({ method: method as never, params }, options)) as Record<string, unknown>
}
