import { toBytes } from './byte-path.ts'
import { type FileChange, gitModes } from './compare-trees.ts'
import { openPrivateIndex } from './private-index.ts'
import type { ShadowRepository } from './shadow-repository.ts'

/**
 * Makes the files that a restore is about to create part of the next checkpoint, even if the rules that it restores ignore them: otherwise,
 * nothing could undo it. The next checkpoint reads them again, and forgets those that were not created. Only while the workspace is locked.
 */
export async function coverRestored(
  repository: ShadowRepository,
  changes: readonly FileChange[],
  signal: AbortSignal,
): Promise<void> {
  const entries = changes.flatMap(({ kind, path, target }) =>
    kind === 'create' && target !== null ? [`${gitModes[target.kind]} ${target.blob}\t${path}\0`] : [],
  )
  if (entries.length === 0) return
  const index = await openPrivateIndex(repository.folder, repository.index, false)
  try {
    const args = ['update-index', '-z', '--index-info']
    await repository.git({ args, input: toBytes(entries.join('')), index: index.path, signal })
    await index.keep()
  } finally {
    await index.discard()
  }
}
