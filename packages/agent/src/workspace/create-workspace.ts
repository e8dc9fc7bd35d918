import { statSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import type { Restriction } from '@curfew/core'
import { defaultSecretFiles, excludeOwnPrograms, invalidOption, words } from '@curfew/core/internal'
import { GitConfiguredFiles } from './git-configured-files.ts'
import { LinkTargets } from './link-targets.ts'
import { PathPatterns } from './path-patterns.ts'
import { protectedFiles } from './protected-files.ts'
import { realPath } from './real-path.ts'
import { showPath } from './show-path.ts'
import { whyUnknown } from './unknown-files.ts'
import type { FileLocation, Workspace } from './workspace.ts'

export interface WorkspaceOptions {
  /** The project's folder. */
  readonly root: string
  /** Other folders that may be read and changed. */
  readonly addedFolders?: readonly string[] | undefined
  /** Folders that may only be read, such as the one with long results. */
  readonly readableFolders?: readonly string[] | undefined
  /**
   * Patterns, as in `.gitignore`, of files that are neither read nor changed.
   * @default defaultSecretFiles
   */
  readonly secretFiles?: readonly string[] | undefined
  /** Folders whose files only change with the approval of a person, in addition to `.curfew` and similar names. */
  readonly protectedFolders?: readonly string[] | undefined
}

/** Throws `INVALID_OPTION` if a folder does not exist. */
export function createWorkspace(options: WorkspaceOptions): Workspace {
  const root = folderOf(options.root, 'root')
  const added = options.addedFolders ?? []
  const folders = [root, ...added.map((folder, index) => folderOf(folder, `addedFolders[${index}]`))]
  excludeOwnPrograms(folders)
  const readable = (options.readableFolders ?? []).map(futureFolder)
  // A link on the way can be replaced as well.
  const protectedFolders = (options.protectedFolders ?? []).flatMap((path) => [
    ...new Set([resolve(path), futureFolder(path)]),
  ])
  const secrets = new PathPatterns(options.secretFiles ?? defaultSecretFiles, folders)
  const names = {
    folders,
    secretName: (path: string) => secrets.match(path),
    whyProtected: (path: string) => whyProtected(path, protectedFolders),
  }
  const links = new LinkTargets(names)
  const secretPattern = (path: string): string | null => secrets.match(path) ?? links.secretPattern(path)
  const configured = new GitConfiguredFiles(folders)

  const locate = (path: string): FileLocation => {
    const written = resolve(root, path)
    const found = path.startsWith('~/') || path === '~' ? { problem: homeProblem } : realPath(written)
    if ('problem' in found) return unresolved(path, found.problem)
    const real = found.realPath
    // What a link to a file is called says as much as the file's own name.
    const ofEither = (check: (path: string) => string | null): string | null =>
      check(real) ?? (written === real ? null : check(written))
    const isInKernel = [written, real].some((one) => leadsIntoKernel(one, folders))
    const isInside = !isInKernel && folders.some((folder) => isWithin(real, folder))
    const isReadable = !isInKernel && readable.some((folder) => isWithin(real, folder))
    return {
      realPath: real,
      shownPath: showPath(isWithin(real, root) ? relative(root, real) || '.' : real),
      area: isInside ? 'inside' : isReadable ? 'readable' : 'outside',
      problem: null,
      secret: ofEither(secretPattern),
      protected: ofEither((one) => names.whyProtected(one) ?? configured.why(one) ?? links.whyProtected(one)),
    }
  }

  const locationOf = (path: string | FileLocation): FileLocation =>
    typeof path === 'string' ? locate(path) : path

  const restrictRead = (path: string | FileLocation): Restriction | null => {
    const { area, problem, secret, shownPath } = locationOf(path)
    if (problem !== null) return deny(`${shownPath}: ${problem}`)
    if (area === 'outside') return deny(`${shownPath} is outside of the workspace (${folders.join(', ')})`)
    if (secret === null) return null
    return deny(`${shownPath} may contain secrets: it matches ${JSON.stringify(secret)} in secretFiles`)
  }

  const restrictWrite = (path: string | FileLocation): Restriction | null => {
    const location = locationOf(path)
    const denied = restrictRead(location)
    if (denied !== null) return denied
    const { area, shownPath, realPath } = location
    if (area === 'readable') return deny(`${shownPath} may only be read`)
    const around = folders.filter((folder) => isWithin(realPath, folder))
    const innermost = around.reduce((one, other) => (one.length > other.length ? one : other))
    const reason =
      location.protected ?? configured.why(realPath, true) ?? whyUnknown(relative(innermost, realPath))
    return reason === null ? null : { verdict: 'ask', reason: `${shownPath} is protected: ${reason}` }
  }

  return {
    ...names,
    root,
    locate,
    secretPattern,
    addLinks: (found) => links.add(found),
    namedByGit: (repositories) => configured.paths([...folders, ...repositories]),
    restrictRead,
    restrictWrite,
  }
}

const homeProblem = '~ is not replaced by the home folder; pass a relative or an absolute path'
const maxShownLength = 200
/** What is there is not a file, or leads to files that are elsewhere. */
const kernelFolders = ['/proc', '/sys', '/dev']

const reasons = new Map(
  protectedFiles.flatMap(({ patterns, reason }) => words(patterns).map((one) => [one, reason])),
)
const protectedPatterns = new PathPatterns([...reasons.keys()], [])

function whyProtected(path: string, folders: readonly string[]): string | null {
  if (folders.some((folder) => isWithin(path, folder))) return protectedFiles[0]!.reason
  // With a file of this name, a folder becomes a repository with its own configuration. A folder may have this name.
  const pattern = /\/head$/i.test(path) ? '.git' : protectedPatterns.match(path)
  return pattern === null ? null : reasons.get(pattern)!
}

function unresolved(path: string, problem: string): FileLocation {
  const shownPath = JSON.stringify(
    path.length > maxShownLength ? `${path.slice(0, maxShownLength)}...` : path,
  )
  return { realPath: '', shownPath, area: 'outside', problem, secret: null, protected: null }
}

/** Unless a folder of the workspace is there, such as one in /dev/shm. */
function leadsIntoKernel(path: string, folders: readonly string[]): boolean {
  const into = kernelFolders.find((folder) => isWithin(path, folder))
  return into !== undefined && !folders.some((folder) => isWithin(folder, into) && isWithin(path, folder))
}

function folderOf(path: string, field: string): string {
  const found = realPath(resolve(path))
  const isFolder = 'realPath' in found && statSync(found.realPath, { throwIfNoEntry: false })?.isDirectory()
  if (isFolder) return found.realPath
  const problem = 'problem' in found ? found.problem : 'there is no such folder'
  throw invalidOption(field, `expected a folder, got ${JSON.stringify(path)}; ${problem}`)
}

/** A folder that may not exist yet. */
function futureFolder(path: string): string {
  const found = realPath(resolve(path))
  return 'realPath' in found ? found.realPath : resolve(path)
}

function deny(reason: string): Restriction {
  return { verdict: 'deny', reason }
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === sep ? sep : folder + sep)
}
