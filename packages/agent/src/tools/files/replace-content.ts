import { randomBytes } from 'node:crypto'
import { type BigIntStats, constants } from 'node:fs'
import { access, type FileHandle, link, lstat, open, rename, unlink } from 'node:fs/promises'
import { basename } from 'node:path'
import type { ToolContext } from '@curfew/core'
import { endCommands, removePlaceholder } from '../../workspace/placeholders.ts'
import type { FileLocation } from '../../workspace/workspace.ts'
import type { CurrentContent } from './current-content.ts'
import { rejected } from './file-error.ts'
import { type Fingerprint, fingerprintOf, isSameFile } from './file-states.ts'
import { MovedError, type PinnedFolder } from './pin-folder.ts'

export interface Replacement {
  readonly location: FileLocation
  /** What is replaced; `null` to create the file. */
  readonly current: CurrentContent | null
  readonly content: Buffer
  readonly signal: ToolContext['signal']
}

/**
 * Writes a file completely or not at all: into a new file next to it, which then takes its place. Rejects without any change if the
 * file is not the one that was compared before.
 */
export async function replaceContent(
  folder: PinnedFolder,
  { location, current, content, signal }: Replacement,
): Promise<Fingerprint> {
  if (location.protected !== null) await endCommands(location.realPath)
  const target = folder.entry(basename(location.realPath))
  if (current !== null) await rejectReadOnly(target, current, location)
  // Not derived from the file's name, which may be as long as a name can be.
  const temporary = folder.entry(`.curfew-${randomBytes(8).toString('hex')}.tmp`)
  const handle = await open(temporary, 'wx', current === null ? 0o666 : 0o600)
  try {
    const stats = await write(handle, content, current)
    signal.throwIfAborted()
    await folder.verify()
    if (current === null) {
      removePlaceholder(location.realPath)
      await create(temporary, target)
    } else {
      await rejectChanged(target, current, location)
      await rename(temporary, target)
    }
    return fingerprintOf(stats, content)
  } catch (error) {
    await unlink(temporary).catch(() => {})
    throw error
  }
}

async function write(
  handle: FileHandle,
  content: Buffer,
  current: CurrentContent | null,
): Promise<BigIntStats> {
  try {
    await handle.writeFile(content)
    if (current !== null) {
      const { uid, gid } = await handle.stat()
      // Only root may change the owner. The file is then owned by who writes it, as with any editor.
      if (uid !== current.uid || gid !== current.gid)
        await handle.chown(current.uid, current.gid).catch(() => {})
      await handle.chmod(current.mode)
    }
    await handle.sync()
    return await handle.stat({ bigint: true })
  } finally {
    await handle.close()
  }
}

/** Unlike `rename`, `link` does not replace a file that someone else has created in the meantime. */
async function create(temporary: string, target: string): Promise<void> {
  try {
    await link(temporary, target)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    // Not every file system has links.
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(code)) throw error
    const existing = await lstat(target).catch(() => null)
    if (existing !== null) throw Object.assign(new Error('exists'), { code: 'EEXIST' })
    return rename(temporary, target)
  }
  await unlink(temporary).catch(() => {})
}

/** Replacing a file needs no permission to write it, so that a read-only file has to be noticed. */
async function rejectReadOnly(
  target: string,
  { mode }: CurrentContent,
  { shownPath }: FileLocation,
): Promise<void> {
  if ((mode & 0o222) === 0)
    throw rejected(`${shownPath} is read-only (its mode is ${mode.toString(8)}); it is unchanged`)
  await access(target, constants.W_OK)
}

async function rejectChanged(
  target: string,
  { fingerprint }: CurrentContent,
  { shownPath }: FileLocation,
): Promise<void> {
  const stats = await lstat(target, { bigint: true })
  if (stats.isSymbolicLink()) throw new MovedError(`${shownPath} was replaced by a link in the meantime`)
  if (!isSameFile(stats, fingerprint))
    throw rejected(`${shownPath} has changed in the meantime; read it again, with read_file`)
}
