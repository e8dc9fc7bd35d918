import { lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { attempt } from '@curfew/core/internal'

export type RealPath = { readonly realPath: string } | { readonly problem: string }

/** As in the kernel. */
const maxLinks = 40
/** `PATH_MAX`. */
const maxPathBytes = 4_096

/**
 * Follows all links of an absolute path, also of one that leads to a file that does not exist: creating that file would follow
 * them, too.
 */
export function realPath(path: string): RealPath {
  const problem = invalidPath(path)
  return problem === null ? follow(path, 0) : { problem }
}

function follow(path: string, links: number): RealPath {
  if (links > maxLinks) return { problem: problems.ELOOP }
  const missing: string[] = []
  for (let existing = path; ; existing = dirname(existing)) {
    try {
      return { realPath: join(realpathSync.native(existing), ...missing) }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'ENOENT')
        return { problem: problems[code as keyof typeof problems] ?? `it cannot be resolved (${code})` }
    }
    const target = danglingLink(existing)
    if (target !== null) {
      const parent = follow(dirname(existing), links + 1)
      if ('problem' in parent) return parent
      return follow(join(resolve(parent.realPath, target), ...missing), links + 1)
    }
    missing.unshift(basename(existing))
  }
}

/** The target of a link to something that does not exist; `null` if there is no such link. */
function danglingLink(path: string): string | null {
  return attempt(() => (lstatSync(path).isSymbolicLink() ? readlinkSync(path) : null), null)
}

function invalidPath(path: string): string | null {
  if (path.includes('\0')) return 'it contains a NUL character'
  // Node would replace it, so that two different strings are the same file.
  if (!path.isWellFormed()) return 'it contains half of a surrogate pair'
  if (Buffer.byteLength(path) >= maxPathBytes) return problems.ENAMETOOLONG
  return null
}

const problems = {
  ELOOP: 'it is a loop of links',
  ENAMETOOLONG: `it is too long; a path has at most ${maxPathBytes - 1} bytes, and each name 255`,
  ENOTDIR: 'a part of it is a file, not a folder',
  EACCES: 'a folder on the way must not be entered',
} as const
