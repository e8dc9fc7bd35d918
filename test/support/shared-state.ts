import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const sharedStateFolder = 'curfew-state'

/** `XDG_STATE_HOME` for programs that would otherwise use the person's own. It is removed at the end of the test run. */
export function sharedState(): string {
  return join(tmpdir(), sharedStateFolder)
}
