import { formatDuration } from '@curfew/core'
import { escapeInvisible } from '@curfew/core/internal'
import type { Checkpoint } from './checkpoint.ts'

const maxLength = 60
const maxCalls = 3
const dayMs = 24 * 3_600_000

/** `2 min ago, before write_file path="a.ts"`. */
export function describeCheckpoint(
  { createdAt, followedBy }: Checkpoint,
  now: number,
  isOtherConversation: boolean,
): string {
  const shown = followedBy.slice(0, maxCalls).map(oneLine)
  if (followedBy.length > maxCalls) shown.push(`${followedBy.length - maxCalls} more`)
  const where = isOtherConversation ? ' (another conversation)' : ''
  return `${timeOf(createdAt, now)}, before ${shown.join('; ')}${where}`
}

/** `1 file`, `2 files`. */
export function describeCount(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

function timeOf(at: number, now: number): string {
  const elapsed = Math.max(0, now - at)
  if (elapsed > dayMs) return new Date(at).toISOString().slice(0, 16).replace('T', ' ').concat(' UTC')
  if (elapsed < 1_000) return 'just now'
  const unit = elapsed < 60_000 ? 1_000 : elapsed < 3_600_000 ? 60_000 : 3_600_000
  return `${formatDuration(Math.floor(elapsed / unit) * unit)} ago`
}

function oneLine(text: string): string {
  const line = escapeInvisible(text.replace(/\s+/g, ' ').trim())
  return line.length > maxLength ? `${line.slice(0, maxLength)}...` : line
}
