import { CurfewError } from '@curfew/core'
import type { FileLocation, Workspace } from '../../workspace/workspace.ts'

/** Where a file that is about to be read is. Throws `DENIED` if it may not be read: the path may lead elsewhere since the call was allowed. */
export function readableLocation(workspace: Workspace, path: string): FileLocation {
  const location = workspace.locate(path)
  const restriction = workspace.restrictRead(location)
  if (restriction !== null) throw denied(restriction.reason)
  return location
}

/**
 * The same for a file that is about to be changed.
 *
 * @param approved `context.restriction`: what the person who approved the call was told.
 */
export function writableLocation(workspace: Workspace, path: string, approved: string | null): FileLocation {
  const location = workspace.locate(path)
  const restriction = workspace.restrictWrite(location)
  if (restriction?.verdict === 'deny') throw denied(restriction.reason)
  if (restriction !== null && restriction.reason !== approved)
    throw denied(
      `${restriction.reason}. That requires the approval of a person, and was not so when the call was approved`,
    )
  return location
}

function denied(reason: string): CurfewError {
  return new CurfewError('DENIED', reason, { hadNoEffect: true })
}
