import { stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { readSmallFile } from './read-small-file.ts'

/** The project's own repository. It is never opened with git, because its configuration can run programs; only files in it are read. */
export interface ProjectGit {
  /** The folder that contains `.git`: the root of the workspace, or a folder around it. */
  readonly top: string
  readonly index: string
  readonly exclude: string
}

const maxPointerBytes = 16_384

export async function findProjectGit(root: string): Promise<ProjectGit | null> {
  for (let folder = root; ; folder = dirname(folder)) {
    const found = await readGitFolder(folder)
    if (found !== null || dirname(folder) === folder) return found
  }
}

async function readGitFolder(top: string): Promise<ProjectGit | null> {
  const path = join(top, '.git')
  const found = await stat(path).catch(() => null)
  if (found === null) return null
  if (found.isDirectory()) return at(top, path, path)
  // A worktree or a submodule.
  const gitFolder = await readPointer(path, /^gitdir: (.+?)\n*$/s, top)
  if (gitFolder === null) return null
  const common = await readPointer(join(gitFolder, 'commondir'), /^(.+?)\n*$/s, gitFolder)
  return at(top, gitFolder, common ?? gitFolder)
}

function at(top: string, gitFolder: string, common: string): ProjectGit {
  return { top, index: join(gitFolder, 'index'), exclude: join(common, 'info', 'exclude') }
}

async function readPointer(path: string, pattern: RegExp, from: string): Promise<string | null> {
  const target = pattern.exec((await readSmallFile(path, maxPointerBytes))?.toString() ?? '')?.[1]
  return target === undefined || target.includes('\0') ? null : resolve(from, target)
}
