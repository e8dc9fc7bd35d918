import type { CallResult, Runtime } from '@curfew/core'
import type { Upstream } from '../upstream.ts'
import { requestTool, requestToolName } from './upstream-tools.ts'

/**
 * Starts a server that lacks a key within a call of this runtime, so that a person can be asked for it. To find out whether it was
 * started, check its listing: not every server answers the ping.
 */
export async function startWithKey(
  upstream: Upstream,
  runtime: Runtime,
  signal?: AbortSignal,
): Promise<CallResult> {
  const unregister = runtime.register(requestTool(upstream))
  const name = requestToolName(upstream)
  try {
    const call = { id: name, name, params: { method: 'ping', params: {} } }
    const [result] = await runtime.execute([call], { signal })
    return result!
  } finally {
    unregister()
  }
}
