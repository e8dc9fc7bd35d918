import { type Stats, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CurfewError } from '@curfew/core'
import { attempt } from '@curfew/core/internal'
import type { Workspace } from '../../workspace/workspace.ts'
import { globalExcludesFile } from './global-excludes.ts'
import { isInRepository } from './ignore-level.ts'

/** Where to search. */
export interface SearchRoot {
  /** A real path. */
  readonly folder: string
  /** The only file to search, if `path` is a file. */
  readonly file: string | null
  /** As people and models write it; '.' for the workspace's root. */
  readonly shownPath: string
  readonly inRepository: boolean
  /** `null` if there is no such file. */
  readonly globalExcludes: string | null
  /** A path relative to `folder`, as people and models write it. */
  show(path: string): string
}

/** What `path` leads to may have changed since the call was approved, so it is checked again. */
export function openSearchRoot(workspace: Workspace, path: string): SearchRoot {
  const denied = workspace.restrictRead(path)
  if (denied !== null) throw new CurfewError('DENIED', denied.reason, { hadNoEffect: true })
  const { realPath, shownPath } = workspace.locate(path)
  const found = statOf(realPath)
  if (found === undefined || !(found.isDirectory() || found.isFile()))
    throw new CurfewError(
      'INVALID_PARAMS',
      `path: expected a file or folder that exists, got ${JSON.stringify(path)}; use find_files to find its name`,
      { field: 'path', hadNoEffect: true },
    )
  const file = found.isFile() ? realPath : null
  const folder = file === null ? realPath : dirname(realPath)
  const excludes = globalExcludesFile()
  return {
    folder,
    file,
    shownPath,
    inRepository: isInRepository(folder),
    globalExcludes: statOf(excludes)?.isFile() ? excludes : null,
    show: (relative) =>
      file !== null ? shownPath : shownPath === '.' ? relative : join(shownPath, relative),
  }
}

function statOf(path: string): Stats | undefined {
  return attempt(() => statSync(path, { throwIfNoEntry: false }), undefined)
}
