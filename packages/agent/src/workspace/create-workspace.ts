import { realpathSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import type { Restriction } from '@curfew/core'
import { matchGlob } from '@curfew/core/internal'
import type { FileLocation, Workspace } from './workspace.ts'

export interface WorkspaceOptions {
  /** The project's folder. */
  readonly root: string
  /** Other folders that may be read and changed. */
  readonly addedFolders?: readonly string[] | undefined
  /** Folders that may only be read, such as the one with long results. */
  readonly readableFolders?: readonly string[] | undefined
  /** Patterns of files that are neither read nor changed. */
  readonly secretFiles?: readonly string[] | undefined
}

export function createWorkspace(options: WorkspaceOptions): Workspace {
  const root = realpathSync(options.root)
  const folders = [root, ...(options.addedFolders ?? []).map((folder) => realpathSync(folder))]
  const readable = (options.readableFolders ?? []).map((folder) => realOf(resolve(folder)))
  const secretFiles = options.secretFiles ?? defaultSecretFiles

  const locate = (path: string): FileLocation => {
    const realPath = realOf(resolve(root, path))
    const isInside = folders.some((folder) => isWithin(realPath, folder))
    const isReadable = readable.some((folder) => isWithin(realPath, folder))
    return {
      realPath,
      shownPath: isWithin(realPath, root) ? relative(root, realPath) || '.' : realPath,
      area: isInside ? 'inside' : isReadable ? 'readable' : 'outside',
      secret: secretFiles.find((glob) => matchGlob(glob, basename(realPath))) ?? null,
      protected: realPath.split(sep).find((part) => part === '.git' || part === '.curfew') ?? null,
    }
  }

  const restrictRead = (path: string): Restriction | null => {
    const { area, secret, shownPath } = locate(path)
    if (area === 'outside') return deny(`${shownPath} is outside of the workspace`)
    return secret === null ? null : deny(`${shownPath} may contain secrets (${secret} in secretFiles)`)
  }

  const restrictWrite = (path: string): Restriction | null => {
    const location = locate(path)
    if (location.area === 'readable') return deny(`${location.shownPath} may only be read`)
    const denied = restrictRead(path)
    if (denied !== null || location.protected === null) return denied
    return { verdict: 'ask', reason: `${location.shownPath}: ${location.protected}` }
  }

  return { root, folders, locate, restrictRead, restrictWrite }
}

const defaultSecretFiles: readonly string[] = ['.env', '.env.*', '*.pem', '*.key']

function deny(reason: string): Restriction {
  return { verdict: 'deny', reason }
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === sep ? sep : folder + sep)
}

function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(realOf(parent), basename(path))
  }
}
