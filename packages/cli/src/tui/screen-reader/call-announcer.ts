import type { CallRow } from '@curfew/core'
import { cut } from '../../terminal.ts'
import { callName } from '../calls/call-name.ts'
import { shortArguments } from '../calls/short-arguments.ts'
import { spokenDuration } from './spoken-duration.ts'

/** Ends of older calls are forgotten, which at worst repeats a line. */
const maxRemembered = 1_000

/** Says what happens to calls, each thing once. Calls inside other calls are left to those. */
export class CallAnnouncer {
  /** The names of running calls, by uid. */
  readonly #running = new Map<number, string>()
  readonly #ended = new Set<number>()
  readonly #announced = new Set<number>()

  /** Whether there is something to say about this row. */
  update(row: CallRow): boolean {
    const { uid, parentUid, endedAt, status } = row
    if (parentUid !== null || this.#ended.has(uid)) return false
    if (endedAt !== null) {
      this.#running.delete(uid)
      this.#remember(this.#ended, uid)
      return true
    }
    if (status !== 'executing' || this.#running.has(uid)) return false
    this.#running.set(uid, row.name)
    return true
  }

  /** What to say about rows for which `update` was true, or that are new. A call that has already ended is not announced as started. */
  lines(rows: readonly CallRow[]): string[] {
    return rows.flatMap((row) => {
      const { uid, name, endedAt } = row
      if (endedAt === null) return this.#ended.has(uid) ? [] : [describeCallStart(row)]
      if (this.#announced.has(uid)) return []
      this.#remember(this.#announced, uid)
      const others = [...this.#running, ...rows.map((one) => [one.uid, one.name] as const)]
      const isOneOfSeveral = others.some(([other, otherName]) => other !== uid && otherName === name)
      return [describeCallEnd(row, isOneOfSeveral)]
    })
  }

  #remember(uids: Set<number>, uid: number): void {
    uids.add(uid)
    const [oldest] = uids
    if (uids.size > maxRemembered) uids.delete(oldest!)
  }
}

const maxArguments = 160
const maxMessage = 600

/** `run_command started: npm test, limit 2 minutes` */
export function describeCallStart(row: CallRow): string {
  const args = shownArguments(row)
  const limit = row.timeoutMs === null ? '' : `, limit ${spokenDuration(row.timeoutMs)}`
  const task = row.background ? ' as a background task' : ''
  return `${callName(row)} started${task}${args === '' ? '' : `: ${args}`}${limit}`
}

/** `run_command finished after 3 seconds`. `withArguments`: which call it was is not clear from its name. */
export function describeCallEnd(row: CallRow, withArguments = false): string {
  const args = withArguments ? shownArguments(row) : ''
  const name = args === '' ? callName(row) : `${callName(row)} ${args}`
  const after = row.startedAt === null ? '' : ` after ${spokenDuration(row.elapsedMs)}`
  switch (row.status) {
    case 'success':
      return row.detachedTo === null ? `${name} finished${after}` : `${name} continues in the background`
    case 'cancelled':
      return `${name} was cancelled${after}`
    case 'error':
      return `${name} ${failure(row, after)}`
    default:
      return `${name} is running`
  }
}

function failure({ code, message }: CallRow, after: string): string {
  const reason = cut(message ?? '', maxMessage)
  const because = reason === '' ? '' : `: ${reason}`
  switch (code) {
    case 'TOOL_TIMEOUT':
      return `timed out${after}`
    case 'TOOL_IDLE_TIMEOUT':
      return `was stopped${after}, because it wrote nothing for too long`
    case 'DENIED':
      return `was not allowed${because}`
    default:
      return `failed${after}${because === '' && code !== null ? `: ${code}` : because}`
  }
}

function shownArguments({ args }: CallRow): string {
  return cut(shortArguments(args).main, maxArguments)
}
