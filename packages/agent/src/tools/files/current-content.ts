import { basename } from 'node:path'
import { isPlaceholder } from '../../workspace/placeholders.ts'
import type { FileLocation } from '../../workspace/workspace.ts'
import { rejected } from './file-error.ts'
import { type FileState, type Fingerprint, fingerprintOf, isSameContent, isSameFile } from './file-states.ts'
import { openRegularFile } from './open-regular-file.ts'
import type { PinnedFolder } from './pin-folder.ts'
import { maxLoadedBytes, readBytes } from './read-bytes.ts'

export interface CurrentContent {
  /** `null` if the file is larger than what is loaded. */
  readonly content: Buffer | null
  readonly fingerprint: Fingerprint
  /** Its permissions and owner. */
  readonly mode: number
  readonly uid: number
  readonly gid: number
  /** The number of its names; others keep the old content. */
  readonly links: number
}

/** What a file contains before it is changed; `null` if it does not exist. */
export async function currentContent(
  folder: PinnedFolder,
  { realPath, shownPath }: FileLocation,
): Promise<CurrentContent | null> {
  if (isPlaceholder(realPath)) return null
  const file = await openRegularFile(folder, basename(realPath), shownPath).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  })
  if (file === null) return null
  const { handle, stats } = file
  try {
    const content = stats.size > maxLoadedBytes ? null : await readBytes(handle, maxLoadedBytes + 1)
    if (!isSameFile(stats, await handle.stat({ bigint: true })))
      throw rejected(`${shownPath} is being changed by someone else; read it again`)
    return {
      content,
      fingerprint: fingerprintOf(stats, content),
      mode: Number(stats.mode) & 0o777,
      uid: Number(stats.uid),
      gid: Number(stats.gid),
      links: Number(stats.nlink),
    }
  } finally {
    await handle.close()
  }
}

/** Throws if the file is not the one that a person saw in the diff of this call, if any. */
export function rejectUnseen(
  current: CurrentContent | null,
  previewed: Fingerprint | null | undefined,
  { shownPath }: FileLocation,
): void {
  if (previewed === undefined) return
  const found = current?.fingerprint ?? null
  const isSame = previewed === null || found === null ? previewed === found : isSameContent(previewed, found)
  if (isSame) return
  const change = previewed === null ? 'was created' : found === null ? 'was removed' : 'has changed'
  throw rejected(
    `${shownPath} ${change} since the diff of this call was shown for approval; nothing was written. Read it again, with read_file, and make a new call`,
  )
}

/** Throws if the file was not read, or has changed since. With `completely`, also if only a part of it was read. */
export function rejectUnread(
  current: CurrentContent | null,
  state: FileState | undefined,
  { shownPath }: FileLocation,
  completely: boolean,
): void {
  if (current === null) {
    if (state === undefined) return
    throw rejected(`${shownPath} was removed since it was read; call again if it should be created`)
  }
  if (state === undefined)
    throw rejected(
      `${shownPath} exists, but was not read in this conversation; read it first, with read_file`,
    )
  if (!isSameContent(state.fingerprint, current.fingerprint))
    throw rejected(`${shownPath} has changed since it was read; read it again, with read_file`)
  if (completely && state.linesRead !== Number.POSITIVE_INFINITY) {
    const { linesRead } = state
    const part = linesRead === 0 ? 'a part' : `${linesRead} of the lines`
    throw rejected(
      `${shownPath} was not read completely, only ${part}; read the rest before you replace it, or use edit_file`,
    )
  }
}
