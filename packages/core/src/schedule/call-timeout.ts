import type { Call } from '../call/call.ts'
import type { ResolvedTimeout } from '../deadline/resolve-timeout.ts'
import { resolveTimeout } from '../deadline/resolve-timeout.ts'
import type { RuntimeSettings } from '../runtime/runtime-options.ts'

/** How long this call may take if it starts now. */
export function resolveCallTimeout(settings: RuntimeSettings, call: Call): ResolvedTimeout {
  const { toolCallTimeout, maxToolCallTimeout, timeouts } = settings
  const tool = call.tool!
  return resolveTimeout({
    adapter: tool.adapter,
    call: call.timeoutMs,
    tool: tool.timeoutFor?.(call.params as never) ?? tool.timeoutMs,
    timeouts,
    toolCallTimeout,
    maxToolCallTimeout,
    parentRemaining: call.parent?.execution?.timer.remainingMs(),
  })
}
