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
  /** Hand on what a server of 2026-07-28 needs to know first, instead of asking the bridge. */
  readonly allowInputRequired?: boolean | undefined
}

/** One request on one connection. Progress is always asked for; when the signal is aborted, the server is told. */
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
  // Only there are arguments put into headers too; what else `callTool` does is for those who asked.
  const mirrors = method === 'tools/call' && transport.hasPerRequestStream === true
  if (mirrors) return await client.callTool(params as never, options)
  // Given no schema, the SDK looks for one with each request, which costs as much as to check ten results.
  if (method === 'tools/call')
    return await client.request({ method, params }, specTypeSchemas.CallToolResult, options)
  return (await client.request({ method: method as never, params }, options)) as Record<string, unknown>
}
