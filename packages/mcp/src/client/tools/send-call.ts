import type { ToolContext } from '@curfew/core'
import type { UpstreamRequest } from '../connection/send-request.ts'
import type { UpstreamRequestOptions } from '../lifecycle/upstream-requests.ts'
import type { Upstream } from '../upstream.ts'
import { declareTasks, type ForwardedCall, forwardedParams } from './forwarded-call.ts'
import { outerMeta } from './outer-meta.ts'

/** A call of the runtime that is sent to a server. */
export interface OutgoingCall {
  readonly upstream: Upstream
  readonly context: ToolContext
  /** The client's request behind it; `undefined` if it is not one of the gateway. */
  readonly forwarded: ForwardedCall | undefined
  readonly options: Pick<
    UpstreamRequestOptions,
    'repeatable' | 'beforeSend' | 'progressUntil' | 'continuesCall'
  >
}

/** Sends a request of a call to its server, with what the server learns about the call and its client. */
export async function sendCall(
  { upstream, context, forwarded, options }: OutgoingCall,
  { method, params }: UpstreamRequest,
  signal: AbortSignal = context.signal,
): Promise<Record<string, unknown>> {
  const createRequest = (): UpstreamRequest => {
    const era = upstream.listing?.era ?? 'legacy'
    const { _meta, ...answers } = forwardedParams(context.meta, era)
    const mayBeTask = era === 'modern' && (method === 'tools/call' || method.startsWith('tasks/'))
    const meta = {
      ..._meta,
      ...(mayBeTask && declareTasks(context.meta, upstream.ownCapabilities)),
      ...outerMeta(context),
    }
    // Answers belong to the request that is repeated with them.
    return { method, params: { ...params, ...(!method.startsWith('tasks/') && answers), _meta: meta } }
  }
  return await upstream.request(createRequest, {
    ...options,
    signal,
    allowInputRequired: forwarded !== undefined,
    callId: context.callId,
    remainingMs: context.deadline.remainingMs,
    readSecret: (secret) => context.secret(secret),
    onProgress: (progress) => {
      context.progress({ current: progress.progress, total: progress.total, message: progress.message })
      forwarded?.onProgress(progress)
    },
  })
}
