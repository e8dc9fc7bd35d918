import { lstatSync, realpathSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** The real path of the nearest folder with `.curfew` or `.git`, at or above `cwd`; otherwise of `cwd`. */
export function findWorkspaceRoot(cwd: string): string {
  const start = realpathSync.native(resolve(cwd))
  for (let folder = start; ; folder = dirname(folder)) {
    if (exists(join(folder, '.curfew')) || exists(join(folder, '.git'))) return folder
    if (folder === dirname(folder)) return start
  }
}

/** `.git` is a file in worktrees and submodules. */
function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}
