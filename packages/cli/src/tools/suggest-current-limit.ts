import {
  type Adapter,
  adapterTimeouts,
  describeToolTimeout,
  matchGlob,
  maxTimerMs,
  resolveToolTimeout,
} from '@curfew/core/internal'
import type { Config } from '@curfew/extensions'
import type { ToolLimit, ToolTimes } from '@curfew/journal'
import { placeIn } from '../config/show-settings.ts'
import type { CurrentLimit } from './suggest-timeout.ts'

/** Their calls have a limit of their own, which a setting would replace. */
const perCall = new Set(['timeout', 'nice', 'sleep', 'run_command', 'invoke_subagent'])

/**
 * The limit of new calls of a tool, from the configuration and from what its newest calls had; a reason for people if that depends
 * on the call.
 */
export function currentLimit(
  { tool, limits }: ToolTimes,
  config: Pick<Config, 'options' | 'settings'>,
): CurrentLimit | string {
  const own = limits.filter(
    ({ requestedSource, timeoutSource }) => requestedSource !== 'call' && timeoutSource !== 'parent',
  )
  const [newest] = own
  if (newest === undefined) return 'its calls had limits of their own'
  const pattern = decidingPattern(tool, config)
  if (pattern === null && (perCall.has(tool) || isPerCall(own))) return 'its limit depends on the call'
  const { maxToolCallTimeout, tools } = config.options
  const adapter = adapterOf(newest)
  const timeout = resolveToolTimeout(config.options, {
    adapter,
    timeoutMs: pattern === null ? ownTimeout(own) : (tools![pattern]!.timeout as number),
    overrides: pattern === null ? undefined : { timeout: pattern },
  })
  return {
    timeoutMs: timeout.timeoutMs!,
    setBy: describeToolTimeout(timeout, placeIn(config.settings))[1],
    maxMs: Math.min(adapterTimeouts[adapter].capMs ?? maxTimerMs, maxToolCallTimeout ?? maxTimerMs),
  }
}

/** The pattern in `tools` whose timeout applies: the longest one that matches, and of equally long ones the last. */
export function decidingPattern(
  tool: string,
  { options: { tools = {} } }: Pick<Config, 'options'>,
): string | null {
  const matching = Object.keys(tools).filter(
    (pattern) => tools[pattern]!.timeout !== undefined && matchGlob(pattern, tool),
  )
  return matching.sort((a, b) => a.length - b.length).at(-1) ?? null
}

/** The timeout that the tool or its server had before the configuration overrode it, as far as that was recorded. */
function ownTimeout(limits: readonly ToolLimit[]): number | undefined {
  const before = limits.find(({ requestedSource }) => requestedSource !== 'tools')
  const isOwn = before?.requestedSource === 'tool' || before?.requestedSource === 'server'
  return isOwn ? (before.requestedMs ?? undefined) : undefined
}

function isPerCall(limits: readonly ToolLimit[]): boolean {
  const own = limits.filter(({ requestedSource }) => requestedSource === 'tool')
  return new Set(own.map(({ requestedMs }) => requestedMs)).size > 1
}

function adapterOf({ adapter }: ToolLimit): Adapter {
  return adapter !== null && Object.hasOwn(adapterTimeouts, adapter) ? (adapter as Adapter) : 'function'
}
