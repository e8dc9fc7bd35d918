import type { CallRow } from '@curfew/core'
import { isJsonObject } from '@curfew/core/internal'
import type { AttachedRuntimes, LiveRow } from './attached-runtimes.ts'
import { cancelCall } from './cancel-call.ts'
import { protocolVersion } from './control-messages.ts'
import type { ControlMethods, ControlStream } from './control-methods.ts'
import { type RunningCall, readRunningCall, toRunningCall } from './running-call.ts'

export interface ControlIdentity {
  /** The name of its run, such as `m4tq`. */
  readonly run: string
  readonly program: string
  readonly version: string
  readonly project: string
}

/** The result of `calls`. */
export interface CallsResult {
  /** The name of the run, so that a client notices if another process has the socket by now. */
  readonly run: string
  readonly calls: readonly RunningCall[]
  /** Calls that are not in the list, because there are too many. */
  readonly omitted: number
}

/** The events of `watch`: in the first one, all calls have changed. */
export interface CallsEvent {
  readonly run: string
  readonly changed: readonly RunningCall[]
  /** The ids of calls that have ended, or are no longer in the list. */
  readonly ended: readonly string[]
  readonly omitted: number
}

/** More would not fit into one response. */
const maxCalls = 1_000

/** Adds the methods of every control socket: `hello`, `calls`, `breakers`, `watch` and `cancel`. */
export function addCallMethods(
  methods: ControlMethods,
  identity: () => ControlIdentity,
  calls: AttachedRuntimes,
): void {
  methods.handle('hello', () => ({
    protocol: protocolVersion,
    pid: process.pid,
    ...identity(),
    methods: methods.names,
  }))
  methods.handle('calls', (): CallsResult => {
    const { listed, omitted } = chooseRows(calls.rows())
    return { run: identity().run, calls: listed.map(describe), omitted }
  })
  methods.handle('breakers', () => ({ run: identity().run, breakers: calls.openBreakers() }))
  methods.handleStream('watch', () => watchCalls(() => identity().run, calls))
  methods.handle('cancel', (params, { signal }) => cancelCall(calls, params, signal))
}

/** Checks the result of `calls` from another process; `null` if it is not one. */
export function readCallsResult(value: unknown): CallsResult | null {
  if (!isJsonObject(value) || !Array.isArray(value.calls)) return null
  return { run: String(value.run), calls: readCalls(value.calls), omitted: readCount(value.omitted) }
}

/** Checks an event of `watch` from another process; `null` if it is not one. */
export function readCallsEvent(value: unknown): CallsEvent | null {
  if (!isJsonObject(value)) return null
  const { changed, ended } = value
  if (!Array.isArray(changed) || !Array.isArray(ended)) return null
  return {
    run: String(value.run),
    changed: readCalls(changed),
    ended: ended.filter((id) => typeof id === 'string'),
    omitted: readCount(value.omitted),
  }
}

function readCalls(values: readonly unknown[]): RunningCall[] {
  return values.slice(0, maxCalls).flatMap((value) => readRunningCall(value) ?? [])
}

function readCount(value: unknown): number {
  return Number.isSafeInteger(value) ? (value as number) : 0
}

function watchCalls(run: () => string, calls: AttachedRuntimes): ControlStream {
  let sent: ReadonlyMap<string, CallRow> | null = null
  return {
    subscribe: (listener) => calls.subscribe(listener),
    next(): CallsEvent | undefined {
      const { listed, omitted } = chooseRows(calls.rows())
      const known = sent
      const current = new Map(listed.map(({ id, row }) => [id, row]))
      sent = current
      const changed = listed.filter(({ id, row }) => known?.get(id) !== row)
      const ended = [...(known?.keys() ?? [])].filter((id) => !current.has(id))
      if (known !== null && changed.length === 0 && ended.length === 0) return undefined
      return { run: run(), changed: changed.map(describe), ended, omitted }
    },
  }
}

/** Those that run or wait for a person first, if there are too many. */
function chooseRows(rows: readonly LiveRow[]): {
  readonly listed: readonly LiveRow[]
  readonly omitted: number
} {
  if (rows.length <= maxCalls) return { listed: rows, omitted: 0 }
  const isActive = ({ row }: LiveRow): boolean =>
    row.status === 'executing' || row.status === 'awaiting_approval'
  const listed = [...rows.filter(isActive), ...rows.filter((row) => !isActive(row))].slice(0, maxCalls)
  return { listed, omitted: rows.length - maxCalls }
}

function describe({ row, id, parent }: LiveRow): RunningCall {
  return toRunningCall(row, id, parent)
}
