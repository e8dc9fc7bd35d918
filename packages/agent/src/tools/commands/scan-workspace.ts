import { accessSync, constants, type Dirent, existsSync, lstatSync, readdirSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { CurfewError } from '@curfew/core'
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
}

type Found = { readonly [Kind in keyof SensitiveFiles]: string[] }

interface Listing {
  /** Changes with every entry that is added, removed or replaced. */
  readonly stamp: string
  readonly found: Found
  readonly folders: readonly string[]
  readonly entries: number
}

const maxEntries = 1_000_000
/** Much less than `PATH_MAX`, so that a folder with a longer path can be mounted or moved away as a whole. */
const maxPathBytes = 3_000
/** Folders that are read before other work of the process continues. */
const maxPerTurn = 200
/** An entry that is added in the moment in which a folder is read may not change its time. */
const settledMs = 1_000

/**
 * Finds the files of a workspace with secrets or permissions. What was read is kept, so that the next time only folders with changed
 * entries are read. Links are not followed: what they lead to is found itself.
 */
export class WorkspaceScanner {
  readonly #workspace: Workspace
  #known: ReadonlyMap<string, Listing> = new Map()

  constructor(workspace: Workspace) {
    this.#workspace = workspace
  }

  async scan(signal?: AbortSignal, max: number = maxEntries): Promise<SensitiveFiles> {
    const all: Found = { secret: [], protected: [], git: [], links: [] }
    const known = new Map<string, Listing>()
    const folders = [...this.#workspace.folders]
    let entries = 0
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      if (known.has(folder)) continue
      if (known.size % maxPerTurn === 0) await nextTurn()
      signal?.throwIfAborted()
      const listing = this.#list(folder)
      if (listing === null) continue
      known.set(folder, listing)
      entries += listing.entries
      if (entries > max) throw new CurfewError('TOOL_FAILED', `the workspace has more than ${max} files`)
      folders.push(...listing.folders)
      for (const kind of Object.keys(all) as (keyof Found)[]) all[kind].push(...listing.found[kind])
    }
    all.protected.push(...this.#targets(all))
    this.#known = known
    return all
  }

  /** The files in the workspace that git's configuration names, and the targets of links with protected names. */
  #targets({ protected: found, git, links }: SensitiveFiles): readonly string[] {
    const named = this.#workspace.namedByGit(git.map((path) => dirname(path)))
    const inside = [...named, ...links.filter((path) => !isGitName(basename(path)))]
      .map((path) => this.#workspace.locate(path))
      .filter(({ area }) => area === 'inside')
    const targets = new Set(inside.map(({ realPath }) => realPath))
    return [...targets].filter((path) => existsSync(path) && !found.includes(path))
  }

  /** `null` for a folder that disappeared. */
  #list(folder: string): Listing | null {
    try {
      const stats = lstatSync(folder, { bigint: true })
      if (!stats.isDirectory()) return null
      const stamp = [stats.dev, stats.ino, stats.ctimeNs].join()
      const known = this.#known.get(folder)
      if (known?.stamp === stamp) return known
      const isSettled = Math.abs(Date.now() - Number(stats.ctimeMs)) > settledMs
      accessSync(folder, constants.R_OK | constants.X_OK)
      const entries = readdirSync(folder, { withFileTypes: true })
      return { stamp: isSettled ? stamp : '', entries: entries.length, ...this.#sort(folder, entries) }
    } catch (error) {
      if (/^ENOENT$|^ENOTDIR$/.test((error as NodeJS.ErrnoException).code ?? '')) return null
      // Without the permissions to list and enter it, git and other programs can still use what is in it.
      const found: Found = { secret: [], protected: [folder], git: [], links: [] }
      return { stamp: '', entries: 0, found, folders: [] }
    }
  }

  #sort(folder: string, entries: readonly Dirent[]): Pick<Listing, 'found' | 'folders'> {
    const found: Found = { secret: [], protected: [], git: [], links: [] }
    const folders: string[] = []
    const { folders: roots, secretPattern, whyProtected } = this.#workspace
    const [root = ''] = roots.filter((one) => folder === one || folder.startsWith(one + sep))
    if (isGitFolder(entries)) {
      found.git.push(folder === root ? join(folder, 'HEAD') : folder)
      if (folder !== root) return { found, folders }
    }
    // Package managers write their files, and there are too many of them.
    const isInstalled = `${folder.slice(root.length)}${sep}`.includes(`${sep}node_modules${sep}`)
    const isHidden = folder !== root && secretPattern(folder) !== null
    // Read-only as a whole.
    const isCovered = !isInstalled && folder !== root && !isGitHead(folder) && whyProtected(folder) !== null
    for (const entry of entries) {
      const path = join(folder, entry.name)
      const isSecret = !isInstalled && !isHidden && secretPattern(path) !== null
      const isProtected = !isInstalled && whyProtected(path) !== null && !isGitHead(path)
      const isUnreachable = entry.isDirectory() && (isNotUtf8(path) || Buffer.byteLength(path) > maxPathBytes)
      const kind = isGitName(entry.name) ? 'git' : isProtected || isUnreachable ? 'protected' : null
      if (entry.isSymbolicLink()) {
        if (kind !== null && !isCovered) found.links.push(path)
        continue
      }
      // A file may be both, such as .npmrc. A folder with secrets may contain a repository, and a protected one files with secrets.
      if (isSecret) found.secret.push(path)
      if (kind !== null && !isCovered) found[kind].push(path)
      if (entry.isDirectory() && kind !== 'git' && !isUnreachable) folders.push(path)
    }
    return { found, folders }
  }
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
