import type { ResolvedTimeout, TimeoutSource } from '../deadline/resolve-timeout.ts'
import { resolveTimeout } from '../deadline/resolve-timeout.ts'
import type { RuntimeSettings } from '../options/resolve-options.ts'
import type { Call } from '../store/call.ts'
import { limitSetting } from '../tool/limit-setting.ts'
import type { Tool } from '../tool/tool.ts'

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
    parentRemaining: timeLeftOutside(settings, call),
  })
}

/** The time until the calls around this one end, in this process and in others; `undefined` if there are none. */
function timeLeftOutside({ outer, clock }: RuntimeSettings, call: Call): number | undefined {
  const { parent, outerEndsAt } = call
  const ofParent = parent?.execution?.timer.remainingMs()
  const reserveMs = reserveOf(call)
  if (outer.endsAt === null && outerEndsAt === null && reserveMs === 0) return ofParent
  const limits = ofParent === undefined ? [] : [ofParent]
  for (const endsAt of [outer.endsAt, outerEndsAt]) if (endsAt !== null) limits.push(endsAt - clock.now())
  // A call without any time left ends at once.
  return limits.length === 0 ? undefined : Math.max(1, Math.min(...limits) - reserveMs)
}

/** What the conversation of a call leaves of the time of the call that it runs inside. Calls inside the call are limited by the call. */
function reserveOf({ batch, parent }: Call): number {
  const { conversation } = batch.turn
  return parent?.batch.turn.conversation === conversation ? 0 : conversation.reserveMs
}

/** The effective timeout of a tool, and where it was set. */
export interface ToolTimeout {
  /** `null` if it depends on the arguments of the call. */
  readonly timeoutMs: number | null
  readonly source: TimeoutSource
  /** The exact setting, such as `timeouts.script`, if it comes from one. */
  readonly setting: string | undefined
}

/** The timeout of a tool's calls, as far as it does not depend on the call. */
export function resolveToolTimeout(settings: RuntimeSettings, tool: Tool): ToolTimeout {
  if (tool.timeoutFor !== undefined) return { timeoutMs: null, source: 'tool', setting: undefined }
  const { toolCallTimeout, maxToolCallTimeout, timeouts } = settings
  const { timeoutMs, source } = resolveTimeout({
    adapter: tool.adapter,
    tools: tool.overrides?.timeout === undefined ? undefined : tool.timeoutMs,
    tool: tool.timeoutMs,
    timeouts,
    toolCallTimeout,
    maxToolCallTimeout,
  })
  return { timeoutMs, source, setting: limitSetting(tool, source) }
}
