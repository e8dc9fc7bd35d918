import type { CallRow } from '@curfew/core/rows'
import { useMemo } from 'react'
import { areSameUids, listUids } from './call-uids.ts'
import { useSources } from './curfew-provider.tsx'
import { useSelected } from './use-selected.ts'

/**
 * The uids of all calls that the runtime keeps, or of those that match, oldest first. Renders only when a call is added, removed, or begins
 * or ceases to match. A filter that is the same function in every render keeps the array's identity as well.
 */
export function useCallUids(filter?: (row: CallRow) => boolean): readonly number[] {
  const list = useMemo(() => listUids(filter), [filter])
  return useSelected(useSources().runtime, list, areSameUids)
}
