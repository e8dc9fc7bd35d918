import { accessSync, constants, type Dirent, existsSync, lstatSync, readdirSync, realpathSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { CurfewError } from '@curfew/core'
import { attempt } from '@curfew/core/internal'
import { dataFolder, type LinkedFiles, nearestIn } from '../../workspace/link-targets.ts'
import type { Workspace } from '../../workspace/workspace.ts'

/** The absolute paths that a sandbox hides or makes read-only. */
export interface SensitiveFiles {
  readonly secret: readonly string[]
  /** Files and folders with permissions, without the following ones. */
  readonly protected: readonly string[]
  /**
   * `.git`, whether it is a folder or a file, and folders that git would use without that name, such as bare repositories. If that is a
   * folder of the workspace, its `HEAD`: without that file, git does not use the folder.
   */
  readonly git: readonly string[]
  /** Symbolic links with the name of a protected file or of `.git`. They cannot be mount points. */
  readonly links: readonly string[]
  /** Those of `protected` that are only because of links. */
  readonly linked: LinkedFiles['protected']
}

/** `followed`: links that make what they lead to secret or protected. */
type Found = { readonly [Kind in 'secret' | 'protected' | 'git' | 'links' | 'followed' | 'others']: string[] }

interface Folder {
  readonly path: string
  /** `git`: in a repository, where only links matter. `linked`: in a folder of `node_modules` that a link outside leads to. */
  readonly kind: 'own' | 'git' | 'linked'
}

interface Listing {
  /** Changes with every entry that is added, removed or replaced. */
  readonly stamp: string
  readonly found: Found
  readonly folders: readonly Folder[]
  readonly entries: number
}

const maxEntries = 1_000_000
/** The limit for the paths of all entries together, so that they fit into memory. */
const maxPathChars = 250_000_000
/** Listing a folder needs much more memory than its own size on most file systems. */
const maxFolderBytes = 1 << 26
/** Much less than `PATH_MAX`, so that a folder with a longer path can be mounted or moved away as a whole. */
const maxPathBytes = 3_000
/** Folders that are read before other work of the process continues. */
const maxPerTurn = 200
/** An entry that is added in the moment in which a folder is read may not change its time. */
const settledMs = 1_000

/**
 * Finds the files of a workspace with secrets or permissions. What was read is kept, so that the next time only folders with changed
 * entries are read. Links are not followed, except for what they make secret or protected, and into `node_modules`.
 */
export class WorkspaceScanner {
  readonly #workspace: Workspace
  #known: ReadonlyMap<string, Listing> = new Map()

  constructor(workspace: Workspace) {
    this.#workspace = workspace
  }

  /** Throws if there is more than fits into memory. */
  async scan(signal?: AbortSignal): Promise<SensitiveFiles> {
    const all = nothing()
    const known = new Map<string, Listing>()
    const pending: Folder[] = this.#workspace.folders.map((path) => ({ path, kind: 'own' }))
    let followed = 0
    const take = (): Folder | undefined => {
      if (pending.length === 0) {
        for (const one of this.#linkedFolders(all.others.slice(followed), known)) pending.push(one)
        followed = all.others.length
      }
      return pending.pop()
    }
    let entries = 0
    let chars = 0
    for (let next = take(); next !== undefined; next = take()) {
      const { path, kind } = next
      if (known.has(kind + path)) continue
      if (known.size % maxPerTurn === 0) await nextTurn()
      signal?.throwIfAborted()
      const listing = this.#list(next)
      if (listing === null) continue
      known.set(kind + path, listing)
      entries += listing.entries
      chars += listing.entries * path.length
      assertSize(entries, chars)
      // There may be too many for the arguments of one call.
      for (const folder of listing.folders) pending.push(folder)
      for (const found of Object.keys(all) as (keyof Found)[])
        for (const one of listing.found[found]) all[found].push(one)
    }
    this.#known = known
    return this.#withTargets(all)
  }

  /** Installed folders that a link outside of `node_modules` leads to: they are used like those of the workspace. */
  #linkedFolders(links: readonly string[], known: ReadonlyMap<string, Listing>): readonly Folder[] {
    if (![...known.keys()].some(isInstalled)) return []
    return links
      .filter((path) => basename(path) !== 'node_modules')
      .map((path) => attempt(() => realpathSync.native(path), ''))
      .filter((path) => known.has(`own${path}`) && isInstalled(path) && !known.has(`linked${path}`))
      .map((path) => ({ path, kind: 'linked' }))
  }

  /** Adds the files in the workspace that git's configuration names, and what links lead to. */
  #withTargets(all: Found): SensitiveFiles {
    const named = this.#workspace
      .namedByGit(all.git.map((path) => dirname(path)))
      .map((path) => this.#workspace.locate(path))
      .flatMap(({ area, realPath }) => (area === 'inside' ? [realPath] : []))
    const namedSet = new Set(named)
    const inNamed = all.others.filter((link) => nearestIn(namedSet, dirname(link)) !== undefined)
    const targets = this.#workspace.addLinks([...all.followed, ...inNamed])
    const folders = new Set(this.#workspace.folders)
    const covered = new Set([...all.git, ...all.protected, ...named])
    const linked = targets.protected.filter(
      ([, path]) => nearestIn(folders, dirname(path)) !== undefined && nearestIn(covered, path) === undefined,
    )
    const unique = (paths: readonly string[]): string[] => [...new Set(paths)]
    return {
      ...all,
      git: unique(all.git),
      secret: unique([...all.secret, ...[...targets.secret.keys()].filter((path) => existsSync(path))]),
      protected: unique([
        ...all.protected,
        ...[...named, ...linked.map(([, path]) => path)].filter((path) => existsSync(path)),
      ]),
      linked,
    }
  }

  /** `null` for a folder that disappeared. */
  #list({ path: folder, kind }: Folder): Listing | null {
    try {
      const stats = lstatSync(folder, { bigint: true })
      if (!stats.isDirectory()) return null
      const stamp = [stats.dev, stats.ino, stats.ctimeNs].join()
      const known = this.#known.get(kind + folder)
      if (known?.stamp === stamp) return known
      const isSettled = Math.abs(Date.now() - Number(stats.ctimeMs)) > settledMs
      accessSync(folder, constants.R_OK | constants.X_OK)
      if (stats.size > maxFolderBytes) assertSize(maxEntries + 1, 0)
      const entries = readdirSync(folder, { withFileTypes: true })
      assertSize(entries.length, entries.length * folder.length)
      return { stamp: isSettled ? stamp : '', entries: entries.length, ...this.#sort(folder, kind, entries) }
    } catch (error) {
      if (error instanceof CurfewError) throw error
      if (/^ENOENT$|^ENOTDIR$/.test((error as NodeJS.ErrnoException).code ?? '')) return null
      // Without the permissions to list and enter it, git and other programs can still use what is in it.
      const found = kind === 'git' ? nothing() : { ...nothing(), protected: [folder] }
      return { stamp: '', entries: 0, found, folders: [] }
    }
  }

  #sort(
    folder: string,
    kind: Folder['kind'],
    entries: readonly Dirent[],
  ): Pick<Listing, 'found' | 'folders'> {
    const found = nothing()
    const folders: Folder[] = []
    const { folders: roots, secretName, whyProtected } = this.#workspace
    const [root = ''] = roots.filter((one) => folder === one || folder.startsWith(one + sep))
    const isGit = isGitFolder(entries)
    if (isGit && kind !== 'git') found.git.push(folder === root ? join(folder, 'HEAD') : folder)
    if (kind === 'git' || (isGit && folder !== root)) {
      for (const entry of entries) {
        const path = join(folder, entry.name)
        if (entry.isSymbolicLink()) found.followed.push(path)
        else if (entry.isDirectory() && !dataFolder.test(entry.name)) folders.push({ path, kind: 'git' })
      }
      return { found, folders }
    }
    // Package managers write their files, and there are too many of them.
    const isForeign = kind === 'own' && isInstalled(folder.slice(root.length))
    const isHidden = folder !== root && secretName(folder) !== null
    // Read-only as a whole.
    const isCovered = !isForeign && folder !== root && !isGitHead(folder) && whyProtected(folder) !== null
    for (const entry of entries) {
      const path = join(folder, entry.name)
      const isSecret = !isForeign && secretName(path) !== null
      const isProtected = !isForeign && whyProtected(path) !== null && !isGitHead(path)
      const isUnreachable = entry.isDirectory() && (isNotUtf8(path) || Buffer.byteLength(path) > maxPathBytes)
      const sort = isGitName(entry.name) ? 'git' : isProtected || isUnreachable ? 'protected' : null
      if (entry.isSymbolicLink()) {
        if (sort !== null && !isCovered) found.links.push(path)
        if (isSecret || sort === 'protected') found.followed.push(path)
        else if (!isForeign) found.others.push(path)
        continue
      }
      // A file may be both, such as .npmrc. A folder with secrets may contain a repository, and a protected one files with secrets.
      if (isSecret && !isHidden) found.secret.push(path)
      if (sort !== null && !isCovered) found[sort].push(path)
      if (!entry.isDirectory() || isUnreachable) continue
      if (sort === 'git') folders.push({ path, kind: 'git' })
      else if (kind === 'own' || entry.name !== 'node_modules') folders.push({ path, kind })
    }
    return { found, folders }
  }
}

function nothing(): Found {
  return { secret: [], protected: [], git: [], links: [], followed: [], others: [] }
}

function isInstalled(path: string): boolean {
  return `${path}${sep}`.includes(`${sep}node_modules${sep}`)
}

function assertSize(entries: number, chars: number): void {
  if (entries <= maxEntries && chars <= maxPathChars) return
  const problem = entries > maxEntries ? `more than ${maxEntries} files` : 'too many files with long paths'
  throw new CurfewError('TOOL_FAILED', `the workspace has ${problem}`)
}

function isGitName(name: string): boolean {
  return name.toLowerCase() === '.git'
}

/** Neither Node nor an argument of bubblewrap leads to such a folder. */
export function isNotUtf8(path: string): boolean {
  return path.includes('\ufffd')
}

/** Protected, because it can turn a folder into a repository; the whole folder is recognized here. */
function isGitHead(path: string): boolean {
  return /\/head$/i.test(path)
}

/** Git uses such a folder as a repository if it is the current one. With `commondir`, the rest may be elsewhere. */
function isGitFolder(entries: readonly Dirent[]): boolean {
  const names = new Set(entries.map(({ name }) => name.toLowerCase()))
  return names.has('head') && (names.has('commondir') || (names.has('objects') && names.has('refs')))
}
