import type { CallRow } from '@curfew/core'
import { cut } from '../../terminal.ts'
import { callName } from '../calls/call-name.ts'
import { shortArguments } from '../calls/short-arguments.ts'
import { spokenDuration } from './spoken-duration.ts'

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
