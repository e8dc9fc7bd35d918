import { type CallRow, formatDuration } from '@curfew/core'
import { describeSource, escapeInvisible } from '@curfew/core/internal'
import { describeAllowance } from '../../call/describe-allowance.ts'
import { clockTime } from '../../log/call-time.ts'
import { wrap } from '../../terminal.ts'
import { foldLine } from '../questions/fold-line.ts'
import type { Theme } from '../theme/theme.ts'
import type { CallRecord } from './call-records.ts'
import { countOutputLines } from './output-tail.ts'
import { visibleMessage, visibleName, visibleOutput } from './printable-text.ts'
import { countLines } from './row-details.ts'

export interface CallDetailOptions {
  readonly width: number
  readonly theme: Theme
}

const labelColumns = 11
const indent = '  '

/** Everything about a call except for its output, which follows. */
export function callDetailLines(
  row: CallRow,
  record: CallRecord | undefined,
  options: CallDetailOptions,
): string[] {
  const lines = new DetailLines(options)
  lines.fact('tool', describeTool(row))
  lines.fact('call', describePlace(row))
  if (row.allowedBy !== null) lines.fact('allowed by', describeAllowance(row.allowedBy))
  if (row.timeoutMs !== null) lines.fact('limit', describeLimit(row, record))
  lines.fact('times', describeTimes(row, record))
  if (row.pausedMs > 0) lines.fact('paused', `${formatDuration(row.pausedMs)}, waiting for a person`)
  const args = record?.args ?? row.args
  if (args !== '' && args !== '{}') lines.section('Arguments', escapeInvisible(args))
  if (row.code !== null) lines.section('Error', `${row.code}: ${row.message ?? ''}`)
  else if (row.preview !== '') lines.section('Result', row.preview, record?.resultPath ?? null)
  const total = countOutputLines(row)
  if (total > 0) lines.section(`Output (${countLines(total)})`, '')
  return lines.all
}

class DetailLines {
  readonly all: string[] = []
  readonly #options: CallDetailOptions

  constructor(options: CallDetailOptions) {
    this.#options = options
  }

  /** `limit      2 min (set on the call)` */
  fact(label: string, text: string): void {
    const { width, theme } = this.#options
    const columns = Math.max(10, width - labelColumns)
    const wrapped = wrap(visibleMessage(text), columns).flatMap((line) => foldLine(line, columns))
    for (const [index, line] of wrapped.entries())
      this.all.push(theme.muted((index === 0 ? label : '').padEnd(labelColumns)) + line)
  }

  section(title: string, text: string, note: string | null = null): void {
    const { width, theme } = this.#options
    this.all.push('', theme.heading(title))
    const columns = Math.max(10, width - indent.length)
    if (text === '') return
    for (const line of text.split('\n'))
      for (const part of foldLine(visibleOutput(line), columns)) this.all.push(indent + part)
    if (note !== null)
      for (const part of foldLine(visibleName(note), columns)) this.all.push(indent + theme.muted(part))
  }
}

function describeTool({ name, title, server, adapter }: CallRow): string {
  const details = [title, server === null ? null : `server ${server}`, adapter].filter(
    (part) => part !== null,
  )
  return details.length === 0
    ? visibleName(name)
    : `${visibleName(name)} (${details.map(visibleMessage).join(', ')})`
}

function describePlace({
  uid,
  id,
  batch,
  turn,
  parentUid,
  conversation,
  background,
  detachedTo,
}: CallRow): string {
  const parts = [
    `${uid} (id ${id})`,
    `batch ${batch}`,
    turn === null ? null : `turn ${turn}`,
    `conversation ${conversation}`,
    parentUid === null ? null : `inside call ${parentUid}`,
    background ? 'a background task' : null,
    detachedTo === null ? null : `continued by call ${detachedTo}`,
  ]
  return parts.filter((part) => part !== null).join(', ')
}

/** `2 min (set on the call); 5 min were requested (the tool's own timeout)` */
function describeLimit({ timeoutMs, timeoutSource }: CallRow, record: CallRecord | undefined): string {
  const source = timeoutSource === null ? '' : ` (${describeSource(timeoutSource)})`
  const limit = `${formatDuration(timeoutMs!)}${source}`
  const deadline = record?.deadline
  if (deadline == null || deadline.shortenedBy === null) return limit
  const { timeoutMs: requestedMs, source: requestedBy } = deadline.requested
  return `${limit}; ${formatDuration(requestedMs)} were requested (${describeSource(requestedBy)})`
}

function describeTimes({ createdAt, startedAt, endedAt }: CallRow, record: CallRecord | undefined): string {
  if (record !== undefined)
    return record.states.map(({ status, at }) => `${status.replace('_', ' ')} ${clockTime(at)}`).join(', ')
  const times = [
    `requested ${clockTime(createdAt)}`,
    startedAt === null ? null : `started ${clockTime(startedAt)}`,
    endedAt === null ? null : `ended ${clockTime(endedAt)}`,
  ]
  return times.filter((time) => time !== null).join(', ')
}
