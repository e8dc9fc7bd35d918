import type { ResolvedTimeout } from '../deadline/resolve-timeout.ts'
import { resolveTimeout } from '../deadline/resolve-timeout.ts'
import type { RuntimeSettings } from '../options/resolve-options.ts'
import type { Call } from '../store/call.ts'

/** The timeout that would apply if neither the caller nor the parent call had shortened it. */
export function ownTimeoutMs(settings: RuntimeSettings, call: Call): number {
  const { toolCallTimeout, maxToolCallTimeout, timeouts } = settings
  const tool = call.tool!
  return resolveTimeout({
    adapter: tool.adapter,
    tool: tool.timeoutFor?.(call.params as never) ?? tool.timeoutMs,
    timeouts,
    toolCallTimeout,
    maxToolCallTimeout,
  }).timeoutMs
}

/** The timeout of a call that starts now. Neither its tool nor its caller limits a background task. */
export function resolveCallTimeout(settings: RuntimeSettings, call: Call): ResolvedTimeout {
  const { toolCallTimeout, maxToolCallTimeout, timeouts } = settings
  if (call.background)
    return resolveTimeout({ adapter: 'background', timeouts, toolCallTimeout, maxToolCallTimeout })
  const tool = call.tool!
  return resolveTimeout({
    adapter: tool.adapter,
    call: call.timeoutMs,
    tools: tool.overrides?.timeout === undefined ? undefined : tool.timeoutMs,
    tool: tool.timeoutFor?.(call.params as never) ?? tool.timeoutMs,
    timeouts,
    toolCallTimeout,
    maxToolCallTimeout,
    parentRemaining: call.parent?.execution?.timer.remainingMs(),
  })
}
