import { readdirSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { attempt, findProjectGit } from '@curfew/core/internal'
import { realPath } from './real-path.ts'
import type { Workspace } from './workspace.ts'

type Names = Pick<Workspace, 'folders' | 'secretName' | 'whyProtected'>

export interface LinkedFiles {
  /** Real paths, with the pattern that a link matches. They stay secret if a command removes the link. */
  readonly secret: ReadonlyMap<string, string>
  /** Links, with what they protect. */
  readonly protected: readonly (readonly [link: string, target: string])[]
}

const maxAgeMs = 500
/** Reading takes at most this part of the time. */
const maxShare = 0.1
const maxDepth = 4
const maxEntries = 5_000
/** Large, without links that git or other programs follow. */
export const dataFolder: RegExp = /^(objects|refs|logs|lfs|annex|node_modules)$/

/**
 * The targets of links that have names of secret or protected files, or are in protected folders or `.git`: reading the target reads the
 * secret, and changing it changes the hook.
 */
export class LinkTargets {
  readonly #names: Names
  /** Those that the scan of a sandbox has found. Without it, only those near the top of the workspace are known. */
  #scanned: readonly string[] = []
  #targets: LinkedFiles = { secret: new Map(), protected: [] }
  #protected: ReadonlySet<string> = new Set()
  #readMs = 0
  #readAt = Number.NEGATIVE_INFINITY

  constructor(names: Names) {
    this.#names = names
  }

  add(links: readonly string[]): LinkedFiles {
    this.#scanned = links
    this.#readAt = Number.NEGATIVE_INFINITY
    return this.#get()
  }

  secretPattern(path: string): string | null {
    const { secret } = this.#get()
    return secret.get(nearestIn(secret, path) ?? '') ?? null
  }

  whyProtected(path: string): string | null {
    this.#get()
    return nearestIn(this.#protected, path) !== undefined ? 'a link in a protected place leads to it' : null
  }

  #get(): LinkedFiles {
    const start = performance.now()
    if (Math.abs(start - this.#readAt) < Math.max(maxAgeMs, this.#readMs / maxShare)) return this.#targets
    const { folders } = this.#names
    const links = new Set(this.#scanned)
    let entries = 0
    const walk = (folder: string, depth: number): void => {
      if (depth > maxDepth || (depth > 1 && entries > maxEntries)) return
      for (const entry of attempt(() => readdirSync(folder, { withFileTypes: true }), [])) {
        const path = join(folder, entry.name)
        if (depth > 1) entries++
        if (entry.isSymbolicLink()) links.add(path)
        else if (entry.isDirectory() && !dataFolder.test(entry.name))
          if (depth > 0 || this.#names.whyProtected(path) !== null) walk(path, depth + 1)
      }
    }
    for (const folder of folders) {
      walk(folder, 0)
      const common = findProjectGit(folder)?.common
      if (common !== undefined) for (const name of ['hooks', 'info']) walk(join(common, name), 1)
    }
    const secret = new Map(this.#targets.secret)
    const found: [string, string][] = []
    const targets = new Set<string>()
    for (const link of links) {
      const pattern = this.#names.secretName(link)
      // Others are in a repository, or in a folder that a link leads to.
      const isProtected =
        this.#names.whyProtected(link) !== null || (pattern === null && !folders.includes(dirname(link)))
      const target = pattern !== null || isProtected ? this.#targetOf(link) : null
      if (target === null) continue
      if (pattern !== null) secret.set(target, pattern)
      if (!isProtected) continue
      // Links in it are added to those of this loop.
      if (!targets.has(target)) walk(target, 1)
      targets.add(target)
      found.push([link, target])
    }
    this.#targets = { secret, protected: found }
    this.#protected = targets
    this.#readAt = performance.now()
    this.#readMs = this.#readAt - start
    return this.#targets
  }

  /** `null` for what contains the workspace, and for devices. */
  #targetOf(link: string): string | null {
    const found = realPath(link)
    if ('problem' in found || found.realPath === link) return null
    const { realPath: target } = found
    const isWhole = target === '/' || this.#names.folders.some((folder) => isWithin(folder, target))
    return isWhole || /^\/(dev|proc|sys)\//.test(target) ? null : target
  }
}

/** The path itself, or the nearest folder around it. */
export function nearestIn(paths: Pick<ReadonlySet<string>, 'has'>, path: string): string | undefined {
  for (let one = path; ; one = dirname(one)) {
    if (paths.has(one)) return one
    if (one === dirname(one)) return undefined
  }
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder + sep)
}
