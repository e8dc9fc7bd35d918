import { CurfewError } from '@curfew/core'
import { expandBraces } from './expand-braces.ts'
import { compileGlob, isHidden, matchPath, mayMatchBelow, type PathGlob } from './path-glob.ts'

/** Decides which files are listed or searched, by their path relative to the folder that is searched. */
export class GlobFilter {
  readonly #included: readonly PathGlob[]
  readonly #excluded: readonly PathGlob[]
  readonly #hidden: boolean
  /** Whether hidden folders may contain matches. */
  readonly entersHidden: boolean

  /** Without patterns that do not start with `!`, all files match. Throws `INVALID_PARAMS` for a pattern that cannot match. */
  constructor(patterns: readonly string[], includeHidden: boolean, field: string) {
    const compile = (pattern: string): PathGlob[] => compilePattern(pattern, field)
    this.#included = patterns.filter((pattern) => !pattern.startsWith('!')).flatMap(compile)
    this.#excluded = patterns
      .filter((pattern) => pattern.startsWith('!'))
      .flatMap((pattern) => compile(pattern.slice(1)))
    this.#hidden = includeHidden
    this.entersHidden =
      includeHidden || this.#included.some((glob) => glob.some((part) => part?.namesHidden === true))
  }

  matches(names: readonly string[]): boolean {
    if (names.includes('.git')) return false
    const isIncluded =
      this.#included.length === 0
        ? this.#hidden || !names.some(isHidden)
        : this.#included.some((glob) => matchPath(glob, names, this.#hidden))
    return isIncluded && !this.#isExcluded(names)
  }

  /** Whether something in a folder may match. */
  enters(names: readonly string[]): boolean {
    const name = names.at(-1)!
    if (name === '.git' || (isHidden(name) && !this.entersHidden)) return false
    if (this.#included.length === 0) return true
    return this.#included.some((glob) => mayMatchBelow(glob, names, this.#hidden))
  }

  #isExcluded(names: readonly string[]): boolean {
    if (this.#excluded.length === 0) return false
    // What is in an excluded folder is excluded, too.
    return names.some((_name, index) =>
      this.#excluded.some((glob) => matchPath(glob, names.slice(0, index + 1), true)),
    )
  }
}

function compilePattern(pattern: string, field: string): PathGlob[] {
  const relative = pattern.replace(/^(?:\.\/)+/, '')
  if (relative === '' || relative.split('/').includes('..') || pattern.includes('\0'))
    throw new CurfewError(
      'INVALID_PARAMS',
      `${field}: expected a pattern such as "*.ts" or "src/**/*.ts" below path, got ${JSON.stringify(pattern)}; to search elsewhere, pass path`,
      { field, hadNoEffect: true },
    )
  const below = relative.endsWith('/') ? `${relative}**` : relative
  const isAnywhere = !below.includes('/')
  const alternatives = expandBraces(below, true) ?? [below]
  return alternatives.map((alternative) => compileGlob(isAnywhere ? `**/${alternative}` : alternative))
}
