import { constants } from 'node:fs'
import { lstat, open, rename, rm, rmdir, symlink, unlink } from 'node:fs/promises'
import { messageOf } from '@curfew/core/internal'
import { type BytePath, nameOf, toBytes } from './byte-path.ts'
import type { FileChange, FileVersion } from './compare-trees.ts'
import { OpenFolders } from './open-folders.ts'
import { readBlobs } from './read-blobs.ts'
import type { ShadowRepository } from './shadow-repository.ts'

export interface RestoreOptions {
  readonly repository: ShadowRepository
  readonly changes: readonly FileChange[]
  /** The name of the file that is being written, in the folder of its destination. */
  readonly temporary: string
  /** Files that changed after this time are kept. Milliseconds since 1970. */
  readonly unchangedSince: number
  readonly signal: AbortSignal
}

export interface FailedPath {
  readonly path: BytePath
  readonly message: string
}

/** Changes the files, each at once. One that fails does not keep the others from being restored. Never follows a link. */
export async function restoreFiles(options: RestoreOptions): Promise<FailedPath[]> {
  const { repository, changes, signal } = options
  const folders = new OpenFolders(repository.root)
  const failed: FailedPath[] = []
  const attempt = async (path: BytePath, run: () => Promise<void>): Promise<void> => {
    signal.throwIfAborted()
    await run().catch((error: unknown) => failed.push({ path, message: describe(error) }))
  }
  try {
    // First, because a file may be in the way of a folder, and the other way round.
    for (const change of changes) {
      if (change.kind !== 'delete') continue
      await attempt(change.path, () => remove(folders, change.path, options.unchangedSince))
    }
    const byBlob = new Map<string, FileChange[]>()
    for (const change of changes) {
      if (change.target === null) continue
      const same = byBlob.get(change.target.blob)
      if (same === undefined) byBlob.set(change.target.blob, [change])
      else same.push(change)
    }
    for await (const [blob, content] of readBlobs(repository, byBlob.keys(), signal)) {
      for (const change of byBlob.get(blob)!)
        await attempt(change.path, () => write(folders, options, change, change.target!, content))
    }
    return failed
  } finally {
    await folders.close()
  }
}

async function remove(folders: OpenFolders, path: BytePath, unchangedSince: number): Promise<void> {
  const folder = await folders.open(path, false)
  if (folder === null) return
  const file = folder.entryBytes(toBytes(nameOf(path)))
  if ((await checkUnchanged(file, unchangedSince)) !== null) await unlink(file)
  await folders.removeEmpty()
}

async function write(
  folders: OpenFolders,
  { temporary, unchangedSince }: RestoreOptions,
  { kind, path, isModeOnly }: FileChange,
  version: FileVersion,
  content: Buffer | null,
): Promise<void> {
  if (content === null) throw new Error('its content is missing in the checkpoint')
  const folder = (await folders.open(path, true))!
  const file = folder.entryBytes(toBytes(nameOf(path)))
  const before = await checkUnchanged(file, unchangedSince)
  if (kind === 'create' && before !== null && !before.isDirectory())
    throw new Error('there is a file now that is not covered')
  const mode = modeOf(before, version.kind)
  if (isModeOnly && before?.isFile()) return await setMode(file, mode)
  const partial = folder.entry(temporary)
  try {
    await rm(partial, { force: true })
    // An empty folder is not part of a checkpoint.
    if (before?.isDirectory()) await rmdir(file)
    if (version.kind === 'link') await symlink(content, partial)
    else await writeNew(partial, content, mode)
    await folder.verify()
    await rename(partial, file)
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}

/** Unlike `chmod`, never follows a link. */
async function setMode(file: Buffer, mode: number): Promise<void> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    await handle.chmod(mode)
  } finally {
    await handle.close()
  }
}

async function writeNew(path: string, content: Buffer, mode: number): Promise<void> {
  const handle = await open(path, 'wx', 0o600)
  try {
    await handle.writeFile(content)
    await handle.chmod(mode)
  } finally {
    await handle.close()
  }
}

type Stats = Awaited<ReturnType<typeof lstat>>

/** What is at the path now; `null` if nothing is. Throws if it changed after it was saved. */
async function checkUnchanged(file: Buffer, unchangedSince: number): Promise<Stats | null> {
  const found = await statOf(file)
  if (found === null || found.isDirectory()) return found
  const changedAt = Number(found.mtimeMs)
  // A time in the future says nothing.
  if (changedAt > unchangedSince && changedAt <= Date.now()) throw new Error('it was changed meanwhile')
  return found
}

/** Permissions stay as they are, except for the executable bits. */
function modeOf(before: Stats | null, kind: FileVersion['kind']): number {
  const mode = before?.isFile() ? Number(before.mode) & 0o777 : 0o666 & ~process.umask()
  return kind === 'executable' ? mode | ((mode & 0o444) >> 2) : mode & ~0o111
}

/** Whether there is a file or a link at the path now, not beyond a link. */
export async function isFileNow(root: string, path: BytePath): Promise<boolean> {
  const folders = new OpenFolders(root)
  try {
    const folder = await folders.open(path, false)
    const found = folder === null ? null : await statOf(folder.entryBytes(toBytes(nameOf(path))))
    return found !== null && !found.isDirectory()
  } catch {
    // A file or a link is in the way.
    return false
  } finally {
    await folders.close()
  }
}

async function statOf(path: Buffer): Promise<Stats | null> {
  return await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return null
  })
}

/** Without the path, which is named anyway. */
function describe(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException
  return messages[code ?? ''] ?? code ?? messageOf(error)
}

const messages: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'there is a folder now, with files that are not covered',
  ENOTEMPTY: 'there is a folder now, with files that are not covered',
  EEXIST: 'there is a folder now, with files that are not covered',
  ENOTDIR: 'a parent directory was replaced',
  ELOOP: 'a parent directory was replaced',
  ENOSPC: 'the disk is full',
  EROFS: 'the file system is read-only',
}
