import type { CallDelta, CallRow, Mirror } from '@curfew/core/rows'

/** Applies the next delta to a mirror. */
export function change(
  mirror: Mirror,
  fields: Partial<Pick<CallDelta, 'removed' | 'opened' | 'closed'>> & {
    readonly changed?: readonly CallRow[]
  },
): void {
  const { revision: from } = mirror.getSnapshot()
  const delta = { from, revision: from + 1, changed: [], removed: [], opened: [], closed: [], ...fields }
  if (!mirror.apply(delta)) throw new Error('expected a delta that follows the snapshot')
}
