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
  options: SandboxGuardOptions,
  protectedFiles: readonly string[],
): SandboxedCommand['guard'] {
  const { links, stateFolder } = options
  const before = new Map([...protectedFiles, ...links.keys()].map((path) => [path, contentOf(path)]))
  const guard = new SandboxGuard(options)
  return {
    record: guard.record,
    watch: () => () => {},
    async finish(ask) {
      const notes = await repository.finish(join(stateFolder, 'quarantine'))
      const isChanged = (path: string): boolean => before.has(path) && before.get(path) !== contentOf(path)
      return [...notes, ...(await guard.finish(ask, isChanged))]
    },
    close: () => guard.close(),
  }
}

/** The content of a file or folder, such as `.vscode`; empty if there is none. */
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
