import type { ToolLimit, ToolTimes } from '@curfew/journal'
import { mergeSorted, percentile } from './percentile.ts'

/** What `curfew stats` reports about a tool. Times are in milliseconds. */
export interface ToolSummary {
  readonly tool: string
  /** Its background tasks, which have another limit. */
  readonly background: boolean
  readonly calls: number
  readonly succeeded: number
  readonly failed: number
  /** Of the failed ones. */
  readonly timedOut: number
  readonly cancelled: number
  readonly lost: number
  readonly running: number
  /** Of the calls that ran and succeeded or failed. */
  readonly p50Ms: number | null
  readonly p95Ms: number | null
  readonly p99Ms: number | null
  readonly maxMs: number | null
  readonly totalMs: number
  /** The limit of the newest call, preferably of one whose limit was set neither on the call nor by its parent. */
  readonly limitMs: number | null
  /** The 99th percentile divided by the limit. */
  readonly shareOfLimit: number | null
  /** The number of failed calls by code. */
  readonly codes: Readonly<Record<string, number>>
  /** Calls that a breaker has rejected; `null` if there are none. */
  readonly rejected: Rejections | null
}

export interface Rejections {
  readonly circuitOpen: number
  readonly loopDetected: number
  readonly lastAt: number
  /** The first rejection after the last success: the breaker may still be open. */
  readonly openSince: number | null
}

const timeouts = new Set(['TOOL_TIMEOUT', 'TOOL_IDLE_TIMEOUT'])

export function summariseTool(times: ToolTimes): ToolSummary {
  const { tool, background, counts, successMs, errorMs, failures, limits } = times
  const { success, error, cancelled, lost, running } = counts
  const durations = mergeSorted(successMs, errorMs)
  const p99Ms = percentile(durations, 0.99)
  const limit = limits.find(isUsual) ?? limits[0]
  const limitMs = limit?.timeoutMs ?? null
  return {
    tool,
    background,
    calls: success + error + cancelled + lost + running,
    succeeded: success,
    failed: error,
    timedOut: failures.filter(({ code }) => timeouts.has(code ?? '')).length,
    cancelled,
    lost,
    running,
    p50Ms: percentile(durations, 0.5),
    p95Ms: percentile(durations, 0.95),
    p99Ms,
    maxMs: percentile(durations, 1),
    totalMs: durations.reduce((sum, ms) => sum + ms, 0),
    limitMs,
    shareOfLimit: p99Ms === null || limitMs === null ? null : p99Ms / limitMs,
    codes: countCodes(times),
    rejected: rejectionsOf(times),
  }
}

function isUsual({ requestedSource, timeoutSource }: ToolLimit): boolean {
  return requestedSource !== 'call' && timeoutSource !== 'parent'
}

function countCodes({ failures }: ToolTimes): Record<string, number> {
  const counts = new Map<string, number>()
  for (const { code } of failures) if (code !== null) counts.set(code, (counts.get(code) ?? 0) + 1)
  return Object.fromEntries([...counts].sort(([, a], [, b]) => b - a))
}

function rejectionsOf({ failures, lastSuccessAt }: ToolTimes): Rejections | null {
  const circuitOpen = failures.filter(({ code }) => code === 'CIRCUIT_OPEN')
  const loopDetected = failures.filter(({ code }) => code === 'LOOP_DETECTED')
  const all = [...circuitOpen, ...loopDetected].map(({ at }) => at)
  if (all.length === 0) return null
  const sinceSuccess = circuitOpen.find(({ at }) => at > (lastSuccessAt ?? Number.NEGATIVE_INFINITY))
  return {
    circuitOpen: circuitOpen.length,
    loopDetected: loopDetected.length,
    lastAt: all.reduce((a, b) => Math.max(a, b)),
    openSince: sinceSuccess?.at ?? null,
  }
}
