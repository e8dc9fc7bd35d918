import type { CallRow } from '@curfew/core'
import { count } from '../../terminal.ts'
import { type CallLinesOptions, callLines } from './call-lines.ts'
import { callName } from './call-name.ts'
import { fitLine } from './fit-line.ts'

export interface FinishedCallOptions extends CallLinesOptions {
  /**
   * With more calls than this, neighbouring successful calls of the same tool share a line.
   * @default 8
   */
  readonly maxSeparate?: number | undefined
}

const defaultMaxSeparate = 8
const maxNames = 4

/** The ended calls of a batch as lines for the scrollback. Calls inside others are summarized below those. */
export function finishedCallLines(rows: readonly CallRow[], options: FinishedCallOptions): string[] {
  const { maxSeparate = defaultMaxSeparate } = options
  const uids = new Set(rows.map(({ uid }) => uid))
  const inside = new Map<number, CallRow[]>()
  const roots: CallRow[] = []
  const rootOf = new Map<number, number>()
  // A call has a higher uid than the one that it runs in.
  for (const row of [...rows].sort((one, other) => one.uid - other.uid)) {
    const { uid, parentUid } = row
    const root = parentUid !== null && uids.has(parentUid) ? rootOf.get(parentUid) : undefined
    rootOf.set(uid, root ?? uid)
    if (root === undefined) {
      roots.push(row)
      continue
    }
    const others = inside.get(root)
    if (others === undefined) inside.set(root, [row])
    else others.push(row)
  }
  const isSingle = (row: CallRow): boolean => row.status !== 'success' || inside.has(row.uid)
  const groups = roots.length > maxSeparate ? groupNeighbours(roots, isSingle) : roots.map((row) => [row])
  return groups.flatMap((group) => {
    if (group.length > 1) return [foldedLine(group, options)]
    const [row] = group
    return [...callLines(row!, options), ...insideLines(inside.get(row!.uid) ?? [], options)]
  })
}

function groupNeighbours(rows: readonly CallRow[], isSingle: (row: CallRow) => boolean): CallRow[][] {
  const groups: CallRow[][] = []
  for (const row of rows) {
    const last = groups.at(-1)
    const canJoin = last !== undefined && last[0]!.name === row.name && !isSingle(last[0]!) && !isSingle(row)
    if (canJoin) last.push(row)
    else groups.push([row])
  }
  return groups
}

/** `✓ read_file ×38` */
function foldedLine(group: readonly CallRow[], { width, theme, isScreenReader }: CallLinesOptions): string {
  const name = callName(group[0]!)
  if (isScreenReader) return fitLine(`${name}, ${group.length} times, done`, width)
  const times = ` ×${group.length}`
  return `${theme.success('✓')} ${theme.strong(fitLine(name, width - times.length - 2))}${times}`
}

/** `  4 calls, 1 failed: read_file ×3, run_command` */
function insideLines(rows: readonly CallRow[], { width, theme }: CallLinesOptions): string[] {
  if (rows.length === 0) return []
  const names = new Map<string, number>()
  for (const row of rows) names.set(callName(row), (names.get(callName(row)) ?? 0) + 1)
  const shown = [...names]
    .slice(0, maxNames)
    .map(([name, times]) => (times === 1 ? name : `${name} ×${times}`))
  const others = names.size - maxNames
  const failed = rows.filter(({ status }) => status === 'error').length
  if (others > 0) shown.push(count(others, 'other tool'))
  const total = `${count(rows.length, 'call')}${failed > 0 ? `, ${failed} failed` : ''}`
  return [theme.muted(fitLine(`  ${total}: ${shown.join(', ')}`, width))]
}
