import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { attempt, readSmallFileIfAny } from '@curfew/core/internal'
import type { RepositoryGuard } from './repository-guard.ts'
import type { SandboxedCommand } from './sandbox.ts'
import { SandboxGuard, type SandboxGuardOptions } from './sandbox-guard.ts'

const maxBytes = 1 << 20

/**
 * The checks after an approved command of git. It may write files with permissions, because a branch may contain others; those that
 * are new or have changed are moved away and asked about, as after any other command.
 */
export function gitGuard(
  repository: RepositoryGuard,
  options: Omit<SandboxGuardOptions, 'mountPoints'>,
): SandboxedCommand['guard'] {
  const { files, quarantineFolder } = options
  const before = new Map([...files.protected, ...files.links].map((path) => [path, contentOf(path)]))
  const isSame = (path: string): boolean => before.get(path) === contentOf(path)
  return {
    watch: () => () => {},
    async finish(ask) {
      const notes = await repository.finish(quarantineFolder)
      const known = { ...files, protected: files.protected.filter(isSame), links: files.links.filter(isSame) }
      const guard = new SandboxGuard({ ...options, files: known, mountPoints: [] })
      return [...notes, ...(await guard.finish(ask))]
    },
  }
}

/** Of a file or folder, such as `.vscode`. Empty if there is none. */
function contentOf(path: string): string {
  return attempt(() => {
    const stats = lstatSync(path, { bigint: true })
    if (stats.isSymbolicLink()) return `link ${readlinkSync(path)}`
    if (stats.isDirectory())
      return readdirSync(path)
        .map((name) => `${name.length} ${name} ${contentOf(join(path, name))}`)
        .join()
    const bytes = stats.isFile() ? readSmallFileIfAny(path, maxBytes) : null
    if (bytes !== null) return `${stats.mode} ${createHash('sha256').update(bytes).digest('hex')}`
    return [stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join()
  }, '')
}
