import {
  type Progress,
  type RequestOptions,
  type StandardSchemaV1,
  specTypeSchemas,
} from '@modelcontextprotocol/client'
import { noSdkTimeout } from '../../async/no-sdk-timeout.ts'
import type { Connection } from './create-client.ts'

export interface UpstreamRequest {
  readonly method: string
  readonly params: Record<string, unknown>
}

export interface SendOptions {
  readonly signal: AbortSignal
  readonly onProgress?: ((progress: Progress) => void) | undefined
  /** The id of the call that the server's messages on the stream of this request belong to, over HTTP. */
  readonly callId?: string | undefined
  /** Forward progress also after the response, until this is aborted: that of a task which the request creates. */
  readonly progressUntil?: AbortSignal | undefined
  /** Return the questions of a 2026-07-28 server as the result, instead of passing them to the bridge. @default false */
  readonly allowInputRequired?: boolean | undefined
}

/** Sends one request, always with a progress token. If the signal is aborted, the server is notified. */
export async function sendRequest(
  { client, transport, watchProgress }: Connection,
  { method, params }: UpstreamRequest,
  { signal, onProgress, callId, progressUntil, allowInputRequired = false }: SendOptions,
): Promise<Record<string, unknown>> {
  const related = callId !== undefined && { relatedRequestId: callId }
  if (progressUntil !== undefined) {
    const progressToken = watchProgress((progress) => onProgress?.(progress), progressUntil)
    const _meta = { ...Object(params._meta), progressToken }
    const options = { signal, timeout: noSdkTimeout, ...related }
    return await client.request({ method, params: { ...params, _meta } }, anyResult, options)
  }
  const options: RequestOptions = {
    signal,
    timeout: noSdkTimeout,
    allowInputRequired,
    onprogress: (progress) => onProgress?.(progress),
    ...related,
  }
  // The SDK has no schemas for tasks.
  if (method.startsWith('tasks/')) return await client.request({ method, params }, anyResult, options)
  // Only `callTool` copies arguments into headers, which a transport with a stream per request needs.
  if (method === 'tools/call' && transport.hasPerRequestStream === true)
    return await client.callTool(params as never, options)
  // Without a schema, the SDK looks one up for each request, which is ten times as expensive as validating the result.
  if (method === 'tools/call')
    return await client.request({ method, params }, specTypeSchemas.CallToolResult, options)
  return (await client.request({ method: method as never, params }, options)) as Record<string, unknown>
}

const anyResult: StandardSchemaV1<unknown, Record<string, unknown>> = {
  '~standard': {
    version: 1,
    vendor: 'curfew',
    validate: (value: unknown) => ({ value: value as Record<string, unknown> }),
  },
}
