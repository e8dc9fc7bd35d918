import { lstatSync, realpathSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { otherOwner } from '@curfew/core/internal'

/**
 * The real path of the nearest folder with `.curfew` or `.git`, at or above `cwd`; otherwise of `cwd`. Those of other users are ignored.
 *
 * @param onIgnored is called with a message for each `.git` that is ignored
 */
export function findWorkspaceRoot(cwd: string, onIgnored: (message: string) => void = () => {}): string {
  const start = realpathSync.native(resolve(cwd))
  for (let folder = start; ; folder = dirname(folder)) {
    const git = join(folder, '.git')
    const owners = [join(folder, '.curfew'), git].filter(exists).map(otherOwner)
    if (owners.includes(null)) return folder
    const owner = otherOwner(git)
    if (owner !== null) onIgnored(`${git} is ignored: ${owner}`)
    if (folder === dirname(folder)) return start
  }
}

/** `.git` is a file in worktrees and submodules. */
function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}
