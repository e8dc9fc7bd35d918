import { lowerBound } from './call-index.ts'

/** What is selected and visible in a list of calls. Calls may be added and removed at any time, so both are uids, not indexes. */
export interface ListState {
  /** `null` if the list is empty. */
  readonly selected: number | null
  /** The first visible call. */
  readonly top: number | null
  /** The newest call stays selected when others are added. */
  readonly isFollowing: boolean
}

export interface ListView {
  /** Sorted. */
  readonly uids: readonly number[]
  /** In rows. */
  readonly height: number
}

export type ListMove = 'up' | 'down' | 'pageUp' | 'pageDown' | 'home' | 'end'

export const initialList: ListState = { selected: null, top: null, isFollowing: true }

/** After a key: moves the selection, and scrolls if it would not be visible. */
export function moveInList(state: ListState, view: ListView, move: ListMove): ListState {
  const { uids, height } = view
  const settled = settleList(state, view)
  if (settled.selected === null) return settled
  const page = Math.max(1, height - 1)
  const steps: Record<ListMove, number> = {
    up: -1,
    down: 1,
    pageUp: -page,
    pageDown: page,
    home: Number.NEGATIVE_INFINITY,
    end: Number.POSITIVE_INFINITY,
  }
  const last = uids.length - 1
  const index = clamp(lowerBound(uids, settled.selected) + steps[move], 0, last)
  return settleList({ ...settled, selected: uids[index]!, isFollowing: index === last }, view)
}

/** After a change of the list or of its height: something is selected if there is anything, and it is visible. */
export function settleList({ selected, top, isFollowing }: ListState, { uids, height }: ListView): ListState {
  const last = uids.length - 1
  if (last < 0) return { selected: null, top: null, isFollowing }
  const isAtEnd = isFollowing || selected === null
  // A call that was removed leaves the selection to the one after it.
  const index = isAtEnd ? last : clamp(lowerBound(uids, selected), 0, last)
  const rows = Math.max(1, height)
  const lowest = Math.max(0, last - rows + 1)
  const wanted = top === null ? lowest : clamp(lowerBound(uids, top), 0, lowest)
  const first = clamp(wanted, index - rows + 1, index)
  return { selected: uids[index]!, top: uids[first]!, isFollowing: isAtEnd }
}

/** The uids of the visible rows. The state must be settled. */
export function visibleUids({ top }: ListState, { uids, height }: ListView): readonly number[] {
  if (top === null) return []
  const first = lowerBound(uids, top)
  return uids.slice(first, first + Math.max(0, height))
}

function clamp(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, value))
}
