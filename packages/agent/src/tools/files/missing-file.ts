import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { CurfewError } from '@curfew/core'
import { nearestName } from '@curfew/core/internal'
import type { FileLocation } from '../../workspace/workspace.ts'
import { rejected } from './file-error.ts'

/** The error for a file that does not exist, with a similar name if there is one; `null` for other errors. */
export async function missingFile(error: unknown, location: FileLocation): Promise<CurfewError | null> {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return null
  const { realPath, shownPath } = location
  const names = await readdir(dirname(realPath)).catch(() => null)
  const folder = dirname(shownPath)
  if (names === null) return rejected(`${shownPath} does not exist: there is no folder ${folder}`)
  const similar = nearestName(basename(realPath), names.slice(0, 10_000))
  const hint = similar === undefined ? '' : `; did you mean ${join(folder, similar)}?`
  return rejected(`${shownPath} does not exist${hint}`)
}
