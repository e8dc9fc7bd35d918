import { useCallback, useSyncExternalStore } from 'react'
import { useSources } from './curfew-provider.tsx'
import type { LiveOutput } from './live-output.ts'
import { currentOutput, followOutput } from './output-follower.ts'

/**
 * The live output of one call; `undefined` while the call is unknown and after it was removed. It is read while a component shows it:
 * first the end that the call's row contains, then up to 262,144 characters. `null` selects no call.
 */
export function useCallOutput(uid: number | null): LiveOutput | undefined {
  const { runtime } = useSources()
  const subscribe = useCallback(
    (listener: () => void) => (uid === null ? () => {} : followOutput(runtime, uid, listener)),
    [runtime, uid],
  )
  const current = (): LiveOutput | undefined => (uid === null ? undefined : currentOutput(runtime, uid))
  return useSyncExternalStore(subscribe, current, current)
}
