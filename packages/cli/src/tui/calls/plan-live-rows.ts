import { isTerminal } from '@curfew/core/rows'
import { count } from '../../terminal.ts'
import type { LiveBatch, LiveCall, LiveTree } from './live-call-tree.ts'
import { tailLines } from './row-details.ts'

/** A row of the live region: a call, or a line about several. */
export type LiveRow = LiveCallRow | LiveNote

export interface LiveCallRow {
  readonly kind: 'call'
  readonly uid: number
  readonly depth: number
  readonly maxLines: number
  readonly doneInside: number
  readonly isBusyInside: boolean
}

export interface LiveNote {
  readonly kind: 'note'
  readonly key: string
  readonly text: string
}

/** How important it is to see a call: those that need a person first. */
const ranks = { needsPerson: 0, running: 1, note: 2, waiting: 3, ended: 4 }

interface Candidate {
  readonly row: LiveRow
  readonly rank: number
  readonly canHaveTail: boolean
}

/** Deeper calls are counted only. */
const maxDepth = 3

/** Chooses what is shown of the live calls in at most `maxRows` lines. Depends on which calls there are, not on their output. */
export function planLiveRows({ batches }: LiveTree, maxRows: number): readonly LiveRow[] {
  const candidates = batches.flatMap(batchCandidates)
  if (candidates.length <= maxRows) return withTails(candidates, maxRows - candidates.length)
  const room = Math.max(0, maxRows - 1)
  const indexes = candidates.map((_, index) => index)
  // A stable sort: of equally important ones, the first.
  const chosen = new Set(
    indexes.sort((one, other) => candidates[one]!.rank - candidates[other]!.rank).slice(0, room),
  )
  const hidden = candidates.filter(({ row }, index) => row.kind === 'call' && !chosen.has(index))
  const rows = candidates.filter((_, index) => chosen.has(index)).map(({ row }) => row)
  return maxRows <= 0 ? [] : [...rows, ...hiddenNote(hidden)]
}

function batchCandidates({ id, calls, done }: LiveBatch): Candidate[] {
  const rows = calls.flatMap((call) => callCandidates(call, 0))
  if (calls.length === 1) return rows
  const text = `${done} of ${count(calls.length, 'call')} done`
  return [{ row: { kind: 'note', key: `batch-${id}`, text }, rank: ranks.note, canHaveTail: false }, ...rows]
}

function callCandidates(call: LiveCall, depth: number): Candidate[] {
  const { uid, doneInside, children } = call
  const inside = depth < maxDepth ? children.flatMap((child) => callCandidates(child, depth + 1)) : []
  const isBusyInside = children.length > 0
  // A call is shown if one inside it is, so that it is clear where that belongs.
  const highest = Math.min(rankOf(call), ...inside.map((candidate) => candidate.rank))
  const row: LiveRow = { kind: 'call', uid, depth, maxLines: 1, doneInside, isBusyInside }
  return [{ row, rank: highest, canHaveTail: call.status === 'executing' && !isBusyInside }, ...inside]
}

function rankOf({ status, paused }: LiveCall): number {
  if (isTerminal(status)) return ranks.ended
  if (paused || status === 'awaiting_approval') return ranks.needsPerson
  return status === 'executing' ? ranks.running : ranks.waiting
}

/** Divides the remaining lines among the running calls. */
function withTails(candidates: readonly Candidate[], spare: number): LiveRow[] {
  const tails = candidates.filter(({ canHaveTail }) => canHaveTail).length
  const each = tails === 0 ? 0 : Math.min(tailLines + 1, Math.floor(spare / tails))
  return candidates.map(({ row, canHaveTail }) =>
    row.kind === 'call' && canHaveTail && each > 0 ? { ...row, maxLines: 1 + each } : row,
  )
}

/** `+ 12 more running (/calls)` */
function hiddenNote(hidden: readonly Candidate[]): LiveNote[] {
  const live = hidden.filter(({ rank }) => rank !== ranks.ended)
  if (live.length === 0) return []
  const isRunning = live.every(({ rank }) => rank === ranks.running)
  const text = `+ ${live.length} more ${isRunning ? 'running' : live.length === 1 ? 'call' : 'calls'} (/calls)`
  return [{ kind: 'note', key: 'more', text }]
}
