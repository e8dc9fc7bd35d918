import type { CallState, CallStatus, Runtime } from '@curfew/core'
import { isJsonObject } from '@curfew/core/internal'
import type { AttachedRuntimes } from './attached-runtimes.ts'
import { ControlError, type Fields } from './control-messages.ts'

/** How a call ended. */
export interface CallEnd {
  readonly status: CallStatus
  readonly code: string | null
  readonly message: string | null
  /** The time that it ran. */
  readonly durationMs: number
  /** Its tool ignored the signal and was left running. */
  readonly abandoned: boolean
}

/** The result of `cancel`. */
export interface CancelResult {
  readonly tool: string
  /** `null` if it has not ended yet after `waitMs`. */
  readonly end: CallEnd | null
}

const maxReason = 500
const maxWaitMs = 60_000
const defaultWaitMs = 10_000

/** Cancels a call and waits until it has ended. A tool has a grace period for that, so it may take a few seconds. */
export async function cancelCall(
  calls: AttachedRuntimes,
  params: Fields,
  signal: AbortSignal,
): Promise<CancelResult> {
  const { id, reason, waitMs } = readParams(params)
  const found = calls.find(id)
  const row = found?.runtime.getCall(found.uid)
  if (found === undefined || row === undefined)
    throw new ControlError('NOT_FOUND', `no running call has the id ${id}`)
  const { runtime, uid } = found
  const ending = nextEnd(runtime, uid, waitMs, signal)
  if (!runtime.cancel({ uid }, reason)) {
    ending.stop()
    throw new ControlError('NOT_FOUND', `the call ${id} has ended`)
  }
  return { tool: row.name, end: await ending.promise }
}

/** Checks the result of `cancel` from another process; `null` if it is not one. */
export function readCancelResult(value: unknown): CancelResult | null {
  if (!isJsonObject(value) || typeof value.tool !== 'string') return null
  const { tool, end } = value
  if (!isJsonObject(end)) return { tool, end: null }
  const { status, code, message, durationMs, abandoned } = end
  if (status !== 'success' && status !== 'error' && status !== 'cancelled') return null
  return {
    tool,
    end: {
      status,
      code: typeof code === 'string' ? code : null,
      message: typeof message === 'string' ? message : null,
      durationMs: Number.isFinite(durationMs) ? (durationMs as number) : 0,
      abandoned: abandoned === true,
    },
  }
}

function readParams({ id, reason = 'by the user', waitMs = defaultWaitMs }: Fields): {
  readonly id: string
  readonly reason: string
  readonly waitMs: number
} {
  if (typeof id !== 'string' || id.length > 64)
    throw new ControlError('INVALID_PARAMS', 'id: expected the id of a call, such as "m4tq-17"')
  if (typeof reason !== 'string' || reason.length > maxReason)
    throw new ControlError('INVALID_PARAMS', `reason: expected a string of at most ${maxReason} characters`)
  if (typeof waitMs !== 'number' || !(waitMs >= 0 && waitMs <= maxWaitMs))
    throw new ControlError('INVALID_PARAMS', `waitMs: expected a number from 0 to ${maxWaitMs}`)
  return { id, reason, waitMs }
}

/** Resolves when the call ends, or to `null` after a while. By its transition, because the row of an ended call may be removed at once. */
function nextEnd(
  runtime: Runtime,
  uid: number,
  waitMs: number,
  signal: AbortSignal,
): { readonly promise: Promise<CallEnd | null>; stop(): void } {
  let stop = (): void => {}
  const promise = new Promise<CallEnd | null>((resolve) => {
    const finish = (end: CallEnd | null): void => {
      clearTimeout(timer)
      unsubscribe()
      signal.removeEventListener('abort', stop)
      resolve(end)
    }
    stop = () => finish(null)
    const timer = setTimeout(stop, waitMs).unref()
    const unsubscribe = runtime.onTransition((transition) => {
      const end = transition.uid === uid ? endOf(transition.state) : null
      if (end !== null) finish(end)
    })
    signal.addEventListener('abort', stop)
  })
  return { promise, stop }
}

function endOf(state: CallState): CallEnd | null {
  if (!('result' in state)) return null
  const { status, result } = state
  const failure = result.status === 'success' ? null : result
  return {
    status,
    code: failure?.code ?? null,
    message: failure?.message ?? null,
    durationMs: result.durationMs,
    abandoned: failure?.abandoned ?? false,
  }
}
