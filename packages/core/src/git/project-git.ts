import { statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { attempt } from '../errors/attempt.ts'
import { otherOwner } from '../files/own-files.ts'
import { readSmallFileIfAny } from '../files/read-small-file.ts'

/** A project's own repository, unless it belongs to another user. Only files in it are read; see `PrivateGit`. */
export interface ProjectGit {
  /** The folder that contains `.git`: the root of the workspace, or a folder around it. */
  readonly top: string
  /** With its configuration, which worktrees share. */
  readonly common: string
  readonly index: string
  readonly exclude: string
}

const maxPointerBytes = 16_384

export function findProjectGit(root: string): ProjectGit | null {
  for (let folder = root; ; folder = dirname(folder)) {
    const found = readGitFolder(folder)
    if (found !== null || dirname(folder) === folder) return found
  }
}

function readGitFolder(top: string): ProjectGit | null {
  const path = join(top, '.git')
  const isFolder = isFolderOrFile(path)
  if (isFolder === null || otherOwner(path) !== null) return null
  if (isFolder) return at(top, path, path)
  // A worktree or a submodule.
  const gitFolder = readPointer(path, /^gitdir: (.+?)\n*$/s, top)
  if (gitFolder === null) return null
  const common = readPointer(join(gitFolder, 'commondir'), /^(.+?)\n*$/s, gitFolder)
  return at(top, gitFolder, common ?? gitFolder)
}

/** `null` if there is nothing that can be read. */
function isFolderOrFile(path: string): boolean | null {
  return attempt(() => statSync(path).isDirectory(), null)
}

function at(top: string, gitFolder: string, common: string): ProjectGit {
  return { top, common, index: join(gitFolder, 'index'), exclude: join(common, 'info', 'exclude') }
}

function readPointer(path: string, pattern: RegExp, from: string): string | null {
  const target = pattern.exec(readSmallFileIfAny(path, maxPointerBytes)?.toString() ?? '')?.[1]
  return target === undefined || target.includes('\0') ? null : resolve(from, target)
}
