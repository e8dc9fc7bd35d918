import type { Runtime } from '@curfew/core'
import type { UsageMeter } from './usage-meter.ts'

/** The meters of running turns and of agents, by the id of the turn or of the conversation. */
const running = new WeakMap<Runtime, Map<string, UsageMeter>>()

/** What agents inside the calls of this turn or conversation use counts in this meter. Returns a function that removes it. */
export function addMeter(runtime: Runtime, id: string, meter: UsageMeter): () => void {
  const meters = running.get(runtime) ?? new Map<string, UsageMeter>()
  running.set(runtime, meters)
  meters.set(id, meter)
  return () => void meters.delete(id)
}

/** The meter of the turn that a call belongs to, or the closest one around it; `null` if no agent started the call. */
export function meterAround(runtime: Runtime, uid: number): UsageMeter | null {
  const meters = running.get(runtime)
  if (meters === undefined) return null
  let row = runtime.getCall(uid)
  while (row !== undefined) {
    // A background task may go on after its turn.
    const meter = meters.get(row.turn ?? '') ?? meters.get(row.conversation)
    if (meter !== undefined) return meter
    row = row.parentUid === null ? undefined : runtime.getCall(row.parentUid)
  }
  return null
}
