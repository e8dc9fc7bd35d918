import { constants, open, stat } from 'node:fs/promises'
import { dirname, extname } from 'node:path'
import { CurfewError, type Restriction, type ToolContext } from '@curfew/core'
import { messageOf, readRange } from '@curfew/core/internal'
import { createFolders } from '../tools/files/create-folders.ts'
import { replaceContent } from '../tools/files/replace-content.ts'
import type { Workspace } from '../workspace/workspace.ts'

const mediaTypes: Readonly<Record<string, string>> = {
  '.aac': 'audio/aac',
  '.flac': 'audio/flac',
  '.m4a': 'audio/mp4',
  '.mp3': 'audio/mpeg',
  '.mp4': 'video/mp4',
  '.mpeg': 'video/mpeg',
  '.mpga': 'audio/mpeg',
  '.oga': 'audio/ogg',
  '.ogg': 'audio/ogg',
  '.opus': 'audio/ogg',
  '.wav': 'audio/wav',
  '.webm': 'audio/webm',
  '.gif': 'image/gif',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.png': 'image/png',
  '.webp': 'image/webp',
}

export interface MediaFile {
  readonly bytes: Uint8Array
  readonly mediaType: string
  readonly shownPath: string
}

/** Reads a media file of the workspace. Rejects other kinds of files, and those that are too large. */
export async function readMediaFile(
  workspace: Workspace,
  path: string,
  kind: 'audio' | 'image',
  maxBytes: number,
): Promise<MediaFile> {
  const location = workspace.locate(path)
  const { realPath, shownPath } = location
  const mediaType = mediaTypes[extname(realPath).toLowerCase()]
  const isExpected =
    kind === 'image' ? mediaType?.startsWith('image/') : /^(audio|video)\//.test(mediaType ?? '')
  if (mediaType === undefined || !isExpected) {
    const known = Object.entries(mediaTypes).filter(
      ([, type]) => type.startsWith('image/') === (kind === 'image'),
    )
    throw invalid(`${shownPath}: expected ${known.map(([extension]) => extension).join(', ')}`)
  }
  rejectRestricted(workspace.restrictRead(location), null)
  try {
    // Without O_NONBLOCK, opening a named pipe would wait for its writer.
    await using handle = await open(
      realPath,
      constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW,
    )
    const info = await handle.stat()
    if (!info.isFile()) throw invalid(`${shownPath}: expected a file`)
    if (info.size > maxBytes)
      throw invalid(`${shownPath}: expected at most ${maxBytes} bytes, got ${info.size}`)
    if (info.size === 0) throw invalid(`${shownPath}: the file is empty`)
    const bytes = await readRange(handle, 0, info.size)
    if (bytes.length < info.size)
      throw invalid(`${shownPath}: the file was changed while it was read; try again`)
    return { bytes, mediaType, shownPath }
  } catch (error) {
    throw error instanceof CurfewError ? error : invalid(`${shownPath}: cannot be read: ${messageOf(error)}`)
  }
}

/**
 * Writes a new file of the workspace, which is complete as soon as it exists. Never replaces a file. `context` has the restriction
 * with which the call was approved.
 */
export async function writeNewFile(
  workspace: Workspace,
  path: string,
  bytes: Uint8Array,
  { restriction, signal }: Pick<ToolContext, 'restriction' | 'signal'>,
): Promise<string> {
  const location = workspace.locate(path)
  const { realPath, shownPath } = location
  rejectRestricted(workspace.restrictWrite(location), restriction)
  try {
    const folders = await createFolders(dirname(realPath))
    try {
      await replaceContent(folders.folder, { location, current: null, content: Buffer.from(bytes), signal })
      return shownPath
    } catch (error) {
      await folders.undo()
      throw error
    } finally {
      await folders.close()
    }
  } catch (error) {
    signal.throwIfAborted()
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw exists(shownPath)
    throw new CurfewError('TOOL_FAILED', `${shownPath}: cannot be written: ${messageOf(error)}`)
  }
}

/** Throws before a model is paid for an image that could not be saved. */
export async function assertNewFile(
  workspace: Workspace,
  path: string,
  { restriction }: Pick<ToolContext, 'restriction'>,
): Promise<void> {
  const location = workspace.locate(path)
  const { realPath, shownPath } = location
  rejectRestricted(workspace.restrictWrite(location), restriction)
  const found = await stat(realPath).catch(() => null)
  if (found !== null) throw exists(shownPath)
}

function exists(shownPath: string): CurfewError {
  return invalid(`${shownPath} exists, and is not replaced; choose another path`)
}

/** What a path leads to may have changed since the call was approved. */
function rejectRestricted(found: Restriction | null, approved: string | null): void {
  if (found === null || (found.verdict === 'ask' && found.reason === approved)) return
  throw new CurfewError('DENIED', found.reason, { hadNoEffect: true })
}

function invalid(message: string): CurfewError {
  return new CurfewError('INVALID_PARAMS', message, { hadNoEffect: true })
}
