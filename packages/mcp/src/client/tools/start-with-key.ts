import type { CallResult, Runtime } from '@curfew/core'
import type { Upstream } from '../upstream.ts'
import { requestTool, requestToolName } from './upstream-tools.ts'

/**
 * Starts a server that lacks a key, as a call of this runtime: a person may be asked for it. Whether it was started is seen from its
 * listing; not every server answers a ping.
 */
export async function startWithKey(upstream: Upstream, runtime: Runtime): Promise<CallResult> {
  const unregister = runtime.register(requestTool(upstream))
  const name = requestToolName(upstream)
  try {
    const [result] = await runtime.execute([{ id: name, name, params: { method: 'ping', params: {} } }])
    return result!
  } finally {
    unregister()
  }
}
