import { closeSync, constants, type Dirent, readdirSync } from 'node:fs'
import { attempt } from '@curfew/core/internal'
import { canUseDescriptors } from '../files/pin-folder.ts'
import { toFilePath, toShownPath } from './file-path.ts'
import type { GlobFilter } from './glob-filter.ts'
import { globalRulesOf } from './global-excludes.ts'
import type { IgnoreFileRules } from './ignore-file-rules.ts'
import { hasIgnoreFiles, type IgnoreLevel, isIgnored, levelsAbove, readLevel } from './ignore-level.ts'
import { openInPlace } from './open-in-place.ts'

/** Paths relative to the root that is walked, with one character per byte. */
export interface FolderContents {
  readonly files: readonly string[]
  readonly folders: readonly string[]
}

export interface WalkOptions {
  /** With one character per byte. */
  readonly root: string
  readonly filter: GlobFilter
  readonly inRepository: boolean
  readonly globalExcludes: string | null
}

/** Lists folders one by one, without what is ignored or does not match. Links are not followed. */
export class FolderWalk {
  readonly #options: WalkOptions
  readonly #above: IgnoreLevel | null
  readonly #global: { readonly rules: IgnoreFileRules; readonly folder: string } | null
  /** By folder, relative to the root. Only of folders with ignore files. */
  readonly #levels = new Map<string, IgnoreLevel | null>()

  constructor(options: WalkOptions) {
    this.#options = options
    this.#above = levelsAbove(options.root, options.inRepository)
    const rules = globalRulesOf(options.globalExcludes)
    this.#global = rules === null ? null : { rules, folder: options.root === '/' ? '' : options.root }
  }

  /** `folder` is '' for the root. `level` is the nearest folder above it that has ignore files; `null` if there is none. */
  list(folder: string, level: string | null): FolderContents & { readonly level: string | null } {
    const entries = this.#entries(folder)
    const own = hasIgnoreFiles(entries) ? folder : level
    const rules = own === null ? this.#above : this.#level(own)
    const files: string[] = []
    const folders: string[] = []
    const { filter } = this.#options
    const shownNames = folder === '' ? [] : toShownPath(folder).split('/')
    for (const entry of entries) {
      const isFolder = entry.isDirectory()
      if (!isFolder && !entry.isFile()) continue
      const { name } = entry
      const names = [...shownNames, toShownPath(name)]
      if (isFolder ? !filter.enters(names) : !filter.matches(names)) continue
      const path = folder === '' ? name : `${folder}/${name}`
      if (isIgnored(rules, this.#absolute(path), name, isFolder, this.#global)) continue
      if (isFolder) folders.push(path)
      else files.push(path)
    }
    return { files, folders, level: own }
  }

  #entries(folder: string): Dirent[] {
    // It was removed or replaced, or must not be read.
    return attempt(() => {
      const path = this.#absolute(folder)
      const descriptor = openInPlace(path, constants.O_DIRECTORY)
      try {
        const opened = canUseDescriptors ? `/proc/self/fd/${descriptor}` : toFilePath(path)
        return readdirSync(opened, { withFileTypes: true, encoding: 'latin1' })
      } finally {
        closeSync(descriptor)
      }
    }, [])
  }

  /** In a thread that did not list the folders above, their files are read again. */
  #level(folder: string): IgnoreLevel | null {
    const known = this.#levels.get(folder)
    if (known !== undefined) return known
    const parent = folder === '' ? this.#above : this.#level(parentOf(folder))
    const absolute = this.#absolute(folder)
    const level = readLevel(absolute === '/' ? '' : absolute, parent, this.#options.inRepository)
    this.#levels.set(folder, level)
    return level
  }

  #absolute(path: string): string {
    const { root } = this.#options
    if (path === '') return root
    return root === '/' ? `/${path}` : `${root}/${path}`
  }
}

function parentOf(folder: string): string {
  return folder.includes('/') ? folder.slice(0, folder.lastIndexOf('/')) : ''
}
