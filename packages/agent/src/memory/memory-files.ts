import { join, sep } from 'node:path'
import { messageOf, otherOwner } from '@curfew/core/internal'
import { isPlaceholder } from '../workspace/placeholders.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { readTextFile, type TextFile } from './read-text-file.ts'
import { visibleText } from './visible-text.ts'

export const memoryFileName = 'AGENTS.md'

/** A file of instructions that is part of the system prompt. */
export interface MemoryFile extends Omit<TextFile, 'isUtf8'> {
  readonly path: string
  readonly source: MemorySource
}

/** `folder`: a folder between the project's root and the working directory. */
export type MemorySource = 'user' | 'project' | 'folder'

export interface MemoryPath {
  readonly path: string
  readonly source: MemorySource
}

export interface MemoryFolders {
  /** The folder of the user's configuration. */
  readonly userFolder: string
  readonly workspace: Workspace
  /** The working directory. */
  readonly folder: string
}

export const maxMemoryFileBytes: number = 32 << 10
const maxTotalBytes = 64 << 10
const maxFolders = 20

/** Where instructions are looked for, from general to specific. */
export function memoryPaths({ userFolder, workspace, folder }: MemoryFolders): readonly MemoryPath[] {
  const { root } = workspace
  const { realPath } = workspace.locate(folder)
  const prefix = root.endsWith(sep) ? root : root + sep
  const names = realPath.startsWith(prefix) ? realPath.slice(prefix.length).split(sep) : []
  const folders = names.slice(0, maxFolders).map((_, index) => join(root, ...names.slice(0, index + 1)))
  return [
    { path: join(userFolder, memoryFileName), source: 'user' },
    { path: join(root, memoryFileName), source: 'project' },
    ...folders.map((one): MemoryPath => ({ path: join(one, memoryFileName), source: 'folder' })),
  ]
}

/** Reads the files that exist. Never throws: what cannot be read is ignored with a notice. */
export function readMemoryFiles(
  paths: readonly MemoryPath[],
  workspace: Workspace,
): { readonly files: readonly MemoryFile[]; readonly notices: readonly string[] } {
  const files: MemoryFile[] = []
  const notices: string[] = []
  let room = maxTotalBytes
  for (const { path, source } of paths) {
    const limit = Math.min(maxMemoryFileBytes, room)
    try {
      const owner = source === 'user' ? null : otherOwner(path)
      if (owner !== null) throw new Error(owner)
      const file = readTextFile(source === 'user' ? path : checkedPath(path, workspace), limit, {
        followLink: source === 'user',
      })
      if (file.isCut) notices.push(`${path}: only the first ${limit} of ${file.bytes} bytes are used`)
      room -= Math.min(file.bytes, limit)
      const { text, bytes, isCut } = file
      files.push({ path, source, text: visibleText(text), bytes, isCut })
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      // A sandbox may keep its place with an empty folder.
      if (code !== 'ENOENT' && code !== 'ENOTDIR' && !isPlaceholder(path))
        notices.push(`${path} is ignored: ${code === 'ELOOP' ? 'it is a loop of links' : messageOf(error)}`)
    }
  }
  return { files, notices }
}

/** The real path of a file of the project, which may be a link to another one, such as CLAUDE.md. */
export function checkedPath(path: string, workspace: Workspace): string {
  const { realPath, area, secret } = workspace.locate(path)
  if (area !== 'inside') throw new Error('it leads out of the workspace')
  if (secret !== null) throw new Error('it leads to a file that may contain secrets')
  return realPath
}
