import type { ResolvedTimeout, TimeoutInputs, TimeoutSource } from '../deadline/resolve-timeout.ts'
import { describeSource, resolveTimeout } from '../deadline/resolve-timeout.ts'
import { formatDuration } from '../duration/format-duration.ts'
import type { RuntimeSettings } from '../options/resolve-options.ts'
import type { Call } from '../store/call.ts'
import { limitSetting } from '../tool/limit-setting.ts'
import type { Tool } from '../tool/tool.ts'

/** The inputs of all timeouts. */
type TimeoutSettings = Pick<TimeoutInputs, 'toolCallTimeout' | 'maxToolCallTimeout' | 'timeouts'>
type LimitedTool = Pick<Tool, 'adapter' | 'timeoutMs' | 'overrides'> &
  Partial<Pick<Tool, 'timeoutFor' | 'maxTimeoutMs'>>

/** The timeout that would apply if neither the caller nor the parent call had shortened it. */
export function ownTimeoutMs(settings: RuntimeSettings, call: Call): number {
  return resolveTimeout(inputsOf(settings, call.tool!, call.params)).timeoutMs
}

/** The timeout of a call that starts now. Of a background task's tool and caller, only `MAX_SUBAGENT_TIMEOUT_MIN` limits it. */
export function resolveCallTimeout(settings: RuntimeSettings, call: Call): ResolvedTimeout {
  const inputs = inputsOf(settings, call.tool!, call.params)
  if (call.background)
    return resolveTimeout({ ...inputs, adapter: 'background', tools: undefined, tool: undefined })
  return resolveTimeout({
    ...inputs,
    call: call.timeoutMs,
    parentRemaining: timeLeftOutside(settings, call),
  })
}

/** Collects the settings for the calls of a tool, except for limits of the caller and of outer calls. */
function inputsOf(
  { toolCallTimeout, maxToolCallTimeout, timeouts }: TimeoutSettings,
  tool: LimitedTool,
  params?: unknown,
): TimeoutInputs {
  return {
    adapter: tool.adapter,
    tools: tool.overrides?.timeout === undefined ? undefined : tool.timeoutMs,
    tool: tool.timeoutFor?.(params as never) ?? tool.timeoutMs,
    timeouts,
    toolCallTimeout,
    maxToolCallTimeout,
    maxSubagentTimeout: tool.maxTimeoutMs,
  }
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
  /** The timeout before a cap or a maximum shortened it. */
  readonly requested?: ToolTimeout
}

/** The timeout of a tool's calls, as far as it does not depend on the call. */
export function resolveToolTimeout(settings: TimeoutSettings, tool: LimitedTool): ToolTimeout {
  if (tool.timeoutFor !== undefined) return { timeoutMs: null, source: 'tool', setting: undefined }
  const { timeoutMs, source, requested } = resolveTimeout(inputsOf(settings, tool))
  return {
    timeoutMs,
    source,
    setting: limitSetting(tool, source),
    ...(requested !== undefined && {
      requested: { ...requested, setting: limitSetting(tool, requested.source) },
    }),
  }
}

/** `1 min`, and where that is set. `placeOf` returns the file that sets a setting, if it is known. */
export function describeToolTimeout(
  { timeoutMs, source, setting }: ToolTimeout,
  placeOf: (setting: string) => string | undefined,
): readonly [limit: string, setBy: string] {
  if (timeoutMs === null) return ['per call', 'its arguments']
  const place = setting === undefined ? undefined : placeOf(setting)
  return [formatDuration(timeoutMs), describeSource(source, setting, place)]
}
