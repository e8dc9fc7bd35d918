import type { CallRow, CallSnapshot } from '@curfew/core/rows'
import { useSources } from './curfew-provider.tsx'
import { useSelected } from './use-selected.ts'

/**
 * All calls that the runtime keeps, oldest first. Renders when any of them changes: for a long list, use `useCallUids` for the list and
 * `useCall` in each row.
 */
export function useCalls(): readonly CallRow[] {
  return useSelected(useSources().runtime, callsOf)
}

function callsOf({ calls }: CallSnapshot): readonly CallRow[] {
  return calls
}
