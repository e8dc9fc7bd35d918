import { type Dirent, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { attempt, readSmallFileIfAny } from '@curfew/core/internal'
import { toFilePath } from './file-path.ts'
import { IgnoreFileRules, type IgnoreVerdict } from './ignore-file-rules.ts'

/** A folder with ignore files, and the levels above it. */
export interface IgnoreLevel {
  readonly folder: string
  readonly parent: IgnoreLevel | null
  /** By precedence: `.rgignore`, `.ignore`, `.gitignore`, `.git/info/exclude`. */
  readonly rules: readonly (IgnoreFileRules | null)[]
  /** The root of a repository: its parents' `.gitignore` files do not apply. */
  readonly isRepository: boolean
}

const fileNames = ['.rgignore', '.ignore', '.gitignore'] as const
const relevantNames: ReadonlySet<string> = new Set([...fileNames, '.git'])
/** The first of `rules` that belongs to git. */
const firstOfGit = 2
const maxIgnoreFileBytes = 1 << 20

/** Whether one of the names in a folder makes it a level of its own. */
export function hasIgnoreFiles(entries: readonly Dirent[]): boolean {
  return entries.some(({ name }) => relevantNames.has(name))
}

/**
 * Outside of repositories, `.gitignore` files apply as well. All paths contain one character per byte.
 */
export function readLevel(
  folder: string,
  parent: IgnoreLevel | null,
  inRepository: boolean,
): IgnoreLevel | null {
  const rules = fileNames.map((name) => readRules(`${folder}/${name}`))
  const gitType = typeOf(`${folder}/.git`)
  const exclude = gitType === null ? null : readRules(excludeFile(folder, inRepository && gitType === 'file'))
  const isRepository = inRepository && gitType !== null
  if (!isRepository && exclude === null && rules.every((file) => file === null)) return parent
  return { folder, parent, rules: [...rules, exclude], isRepository }
}

/** The levels above a folder, up to the root of the file system. */
export function levelsAbove(folder: string, inRepository: boolean): IgnoreLevel | null {
  const above: string[] = []
  for (let current = folder; current !== dirname(current); current = dirname(current))
    above.unshift(dirname(current))
  return above.reduce<IgnoreLevel | null>(
    (level, parent) => readLevel(parent === '/' ? '' : parent, level, inRepository),
    null,
  )
}

/** Whether a folder belongs to a git repository. */
export function isInRepository(folder: string): boolean {
  for (let current = folder; ; current = dirname(current)) {
    if (typeOf(current === '/' ? '/.git' : `${current}/.git`) !== null) return true
    if (current === dirname(current)) return false
  }
}

/** Each kind of file is asked from the folder upwards; the first kind that has an answer decides. */
export function isIgnored(
  level: IgnoreLevel | null,
  path: string,
  name: string,
  isFolder: boolean,
  globalRules: { readonly rules: IgnoreFileRules; readonly folder: string } | null,
): boolean {
  const verdicts: IgnoreVerdict[] = [null, null, null, null]
  let isSameRepository = true
  for (let current = level; current !== null; current = current.parent) {
    const { folder, rules } = current
    for (const [kind, file] of rules.entries()) {
      if (file === null || verdicts[kind] !== null || (kind >= firstOfGit && !isSameRepository)) continue
      verdicts[kind] = file.match(() => path.slice(folder.length + 1), name, isFolder)
    }
    if (current.isRepository) isSameRepository = false
  }
  const verdict = verdicts.find((verdict) => verdict !== null)
  if (verdict !== undefined) return verdict === 'ignored'
  if (globalRules === null) return false
  return (
    globalRules.rules.match(() => path.slice(globalRules.folder.length + 1), name, isFolder) === 'ignored'
  )
}

/** `null` if it cannot be read. */
export function readRules(path: string | null): IgnoreFileRules | null {
  const bytes = path === null ? null : readSmallFileIfAny(toFilePath(path), maxIgnoreFileBytes)
  return bytes === null ? null : new IgnoreFileRules(bytes.toString('latin1'))
}

/** Of a worktree, whose `.git` is a file, it is in the main repository. `null` if there is none. */
function excludeFile(folder: string, isWorktree: boolean): string | null {
  if (!isWorktree) return `${folder}/.git/info/exclude`
  const firstLine = (path: string): string =>
    readSmallFileIfAny(toFilePath(path), maxIgnoreFileBytes)?.toString('latin1').split(/\r?\n/)[0] ?? ''
  const [, gitFolder] = /^gitdir: (.+)$/.exec(firstLine(`${folder}/.git`)) ?? []
  const common = gitFolder === undefined ? '' : firstLine(`${gitFolder}/commondir`)
  if (common === '') return null
  return `${common.startsWith('.') ? `${gitFolder}/${common}` : common}/info/exclude`
}

function typeOf(path: string): 'file' | 'other' | null {
  return attempt(() => (statSync(toFilePath(path)).isFile() ? 'file' : 'other'), null)
}
