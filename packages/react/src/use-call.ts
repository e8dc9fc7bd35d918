import type { CallRow } from '@curfew/core/rows'
import { useCallback, useSyncExternalStore } from 'react'
import { watchCall } from './call-watch.ts'
import { useSources } from './curfew-provider.tsx'

/**
 * The row of one call; `undefined` while the call is unknown and after it was removed. Renders only when this row changes, and does not
 * search a list. `null` selects no call, such as the `callUid` of a question that no call asks.
 */
export function useCall(uid: number | null): CallRow | undefined {
  const { runtime } = useSources()
  const subscribe = useCallback((listener: () => void) => watchCall(runtime, uid, listener), [runtime, uid])
  const current = (): CallRow | undefined => (uid === null ? undefined : runtime.getCall(uid))
  return useSyncExternalStore(subscribe, current, current)
}
