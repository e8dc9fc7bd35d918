import { closeSync, constants, type Dirent, readdirSync } from 'node:fs'
import { attempt } from '@curfew/core/internal'
import { canUseDescriptors } from '../files/pin-folder.ts'
import { toFilePath, toShownPath } from './file-path.ts'
import type { GlobFilter } from './glob-filter.ts'
import { globalRulesOf } from './global-excludes.ts'
import { hasIgnoreFiles, type IgnoreLevel, isIgnored, levelsAbove, readLevel } from './ignore-level.ts'
import { openInPlace } from './open-in-place.ts'

export interface WalkOptions {
  /** With one character per byte. */
  readonly root: string
  readonly filter: GlobFilter
  readonly inRepository: boolean
  readonly globalExcludes: string | null
}

/**
 * The files below the root, without what is ignored or does not match, as paths relative to it with one character per byte. Links are not
 * followed.
 */
export function* walkFolder({ root, filter, inRepository, globalExcludes }: WalkOptions): Generator<string> {
  const rules = globalRulesOf(globalExcludes)
  const global = rules === null ? null : { rules, folder: root === '/' ? '' : root }
  const open: { readonly folder: string; readonly above: IgnoreLevel | null }[] = [
    { folder: '', above: levelsAbove(root, inRepository) },
  ]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { folder, above } = next
    const absolute = folder === '' ? root : below(root, folder)
    const entries = entriesOf(absolute)
    const level = hasIgnoreFiles(entries)
      ? readLevel(absolute === '/' ? '' : absolute, above, inRepository)
      : above
    const shownNames = folder === '' ? [] : toShownPath(folder).split('/')
    for (const entry of entries) {
      const isFolder = entry.isDirectory()
      if (!isFolder && !entry.isFile()) continue
      const names = [...shownNames, toShownPath(entry.name)]
      if (isFolder ? !filter.enters(names) : !filter.matches(names)) continue
      if (isIgnored(level, below(absolute, entry.name), entry.name, isFolder, global)) continue
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (isFolder) open.push({ folder: path, above: level })
      else yield path
    }
  }
}

function entriesOf(folder: string): Dirent[] {
  // It was removed or replaced, or must not be read.
  return attempt(() => {
    const descriptor = openInPlace(folder, constants.O_DIRECTORY)
    try {
      const opened = canUseDescriptors ? `/proc/self/fd/${descriptor}` : toFilePath(folder)
      return readdirSync(opened, { withFileTypes: true, encoding: 'latin1' })
    } finally {
      closeSync(descriptor)
    }
  }, [])
}

export function below(folder: string, path: string): string {
  return folder === '/' ? `/${path}` : `${folder}/${path}`
}
