import { useCallback, useMemo, useSyncExternalStore } from 'react'

interface SnapshotSource<S> {
  getSnapshot(): S
  subscribe(listener: () => void): () => void
}

/** What `select` returns for the source's snapshot. Renders only when that changes. */
export function useSelected<S, T>(
  source: SnapshotSource<S>,
  select: (snapshot: S) => T,
  isSame: (one: T, other: T) => boolean = Object.is,
): T {
  const subscribe = useCallback((listener: () => void) => source.subscribe(listener), [source])
  const current = useMemo(() => createSelection(source, select, isSame), [source, select, isSame])
  return useSyncExternalStore(subscribe, current, current)
}

/** Returns a function that selects once per snapshot, and returns the same object while the selection stays the same. */
export function createSelection<S, T>(
  source: Pick<SnapshotSource<S>, 'getSnapshot'>,
  select: (snapshot: S) => T,
  isSame: (one: T, other: T) => boolean,
): () => T {
  let last: { readonly snapshot: S; readonly selected: T } | null = null
  return () => {
    const snapshot = source.getSnapshot()
    if (last === null || last.snapshot !== snapshot) {
      const selected = select(snapshot)
      last = {
        snapshot,
        selected: last !== null && isSame(last.selected, selected) ? last.selected : selected,
      }
    }
    return last.selected
  }
}
