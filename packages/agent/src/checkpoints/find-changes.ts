import { rm, writeFile } from 'node:fs/promises'
import { maxIndexBytes, readSmallFileIfAny } from '@curfew/core/internal'
import { absoluteText, type BytePath, splitPaths } from './byte-path.ts'
import type { ShadowRepository } from './shadow-repository.ts'
import type { ChangedPath } from './snapshot-scope.ts'

export interface ChangeOptions {
  readonly repository: ShadowRepository
  /** The project's index, if files that it contains may be ignored and not covered yet. */
  readonly projectIndex: string | null
  /** The index of the last snapshot. */
  readonly index: string
  readonly signal: AbortSignal
  /** Also returns files that have not changed, but are secret. */
  readonly isSecret: ((path: string) => boolean) | null
}

/** The paths that are new or have changed since the last snapshot, and those that no snapshot covers. */
export async function findChanges(options: ChangeOptions): Promise<ChangedPath[]> {
  const [others, changed, tracked, secret] = await Promise.all([
    list(options, ['ls-files', '--others', '--exclude-standard', '-z']),
    list(options, ['diff-files', '--name-status', '--no-renames', '--ignore-submodules=all', '-z']),
    trackedAlthoughIgnored(options),
    newlySecret(options),
  ])
  const paths = new Map<BytePath, ChangedPath>()
  for (const path of tracked) paths.set(path, { path, isKnown: false, isDeleted: false })
  for (const path of others) paths.set(path, { path, isKnown: false, isDeleted: false })
  for (const path of secret) paths.set(path, { path, isKnown: true, isDeleted: false })
  for (let at = 0; at + 1 < changed.length; at += 2) {
    const path = changed[at + 1]!
    paths.set(path, { path, isKnown: true, isDeleted: changed[at] === 'D' })
  }
  return [...paths.values()]
}

async function list(
  { repository, index, signal }: ChangeOptions,
  args: readonly string[],
): Promise<BytePath[]> {
  return splitPaths(await repository.git({ args, index, signal }))
}

/**
 * Files that match an ignore rule, but are part of the project's repository. Its index is read without its configuration, from a copy: git
 * would wait for a FIFO.
 */
async function trackedAlthoughIgnored(options: ChangeOptions): Promise<BytePath[]> {
  const { projectIndex, index, signal } = options
  const bytes = projectIndex === null ? null : readSmallFileIfAny(projectIndex, maxIndexBytes)
  if (bytes === null) return []
  const copy = `${index}.project`
  try {
    await writeFile(copy, bytes, { mode: 0o600 })
    const ignored = await list({ ...options, index: copy }, [
      'ls-files',
      '--cached',
      '--ignored',
      '--exclude-standard',
      '-z',
    ])
    if (ignored.length === 0) return []
    const known = new Set(await list(options, ['ls-files', '-z']))
    return ignored.filter((path) => !known.has(path))
  } catch {
    signal.throwIfAborted()
    // An index that this git cannot read, such as a split one.
    return []
  } finally {
    await rm(copy, { force: true })
  }
}

async function newlySecret(options: ChangeOptions): Promise<BytePath[]> {
  const { repository, isSecret } = options
  if (isSecret === null) return []
  const known = await list(options, ['ls-files', '-z'])
  return known.filter((path) => isSecret(absoluteText(repository.root, path)))
}
