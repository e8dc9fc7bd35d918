import type { Runtime, Transition } from '@curfew/core'
import { formatHeartbeat } from '@curfew/core/internal'
import type { LostCall } from '../store/writer-messages.ts'
import type { LogFields, LogLevel } from './log-level.ts'

export interface CallLogger {
  write(level: LogLevel, message: string, fields: LogFields): void
  isEnabled(level: LogLevel): boolean
  /** The id of a call in the journal. */
  idOf(uid: number): string | undefined
}

/** Logs what happens to the calls of a runtime. Returns a function that stops it. */
export function logCalls(runtime: Runtime, logger: CallLogger): () => void {
  const { write, isEnabled, idOf } = logger
  // The runtime returns it unchanged to the caller; everything else that it reports is without secrets.
  const callIdOf = (id: string): string => runtime.redact(id)
  const stops = [
    runtime.onHeartbeat((heartbeat) => {
      const { uid, id, name, elapsedMs, timeoutMs } = heartbeat
      const fields = { call: idOf(uid), uid, callId: callIdOf(id), tool: name, elapsedMs, timeoutMs }
      write('info', formatHeartbeat(heartbeat), fields)
    }),
    runtime.onTransition((transition) => {
      const level = levelOf(transition)
      if (level === null || !isEnabled(level)) return
      const { uid, id } = transition
      write(level, ...describeEnd(transition, { call: idOf(uid), uid, callId: callIdOf(id) }))
    }),
    runtime.onLateEnd(({ uid, id, name, outcome }) => {
      const fields = { call: idOf(uid), uid, callId: callIdOf(id), tool: name, outcome }
      write('warn', `ended late name=${showName(name)} outcome=${outcome}`, fields)
    }),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

/** `lostPid` and `lostProgram` are those of the process that ended; every line has those of the process that found it. */
export function describeLost({ id: call, tool, lostIn, pid, program }: LostCall): [string, LogFields] {
  const fields = { call, tool, lostIn, lostPid: pid, lostProgram: program }
  return [`lost name=${showName(tool)} state=${lostIn}`, fields]
}

/** `null` for a call that has not ended. */
function levelOf({ state }: Transition): LogLevel | null {
  if (!('result' in state)) return null
  return state.status === 'success' ? 'debug' : 'warn'
}

function describeEnd(transition: Transition, ids: LogFields): [message: string, fields: LogFields] {
  const { name, state } = transition
  if (!('result' in state)) throw new Error('the call has not ended')
  const { server } = transition.call
  const { durationMs, timeoutMs } = state.result
  const fields = {
    ...ids,
    tool: name,
    server: server ?? undefined,
    durationMs: Math.round(durationMs),
    timeoutMs: timeoutMs ?? undefined,
  }
  if (state.status === 'success') return [`succeeded name=${showName(name)}`, fields]
  const { code, message: error, abandoned } = state.result
  const end = state.status === 'cancelled' ? 'cancelled' : code === 'DENIED' ? 'denied' : 'failed'
  return [`${end} name=${showName(name)} code=${code}`, { ...fields, code, error, abandoned }]
}

/** A model may call a tool that does not exist, by any name. */
function showName(name: string): string {
  return /^[\w.:/-]+$/.test(name) ? name : JSON.stringify(name)
}
