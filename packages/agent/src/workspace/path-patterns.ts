import { matchGlob } from '@curfew/core/internal'
import ignore, { type Ignore } from 'ignore'

/** `ignore` keeps every path that it has tested. */
const maxTested = 20_000
const maxNames = 50_000

/**
 * Patterns as in `.gitignore`, for names that must not slip through in another form: case, Unicode forms, invisible characters and dots
 * at the end make no difference, because on some disks they lead to the same file.
 */
export class PathPatterns {
  readonly #patterns: readonly string[]
  readonly #folders: readonly string[]
  readonly #mayMatchName: (name: string) => boolean
  #rules: Ignore
  #tested = 0

  /** Patterns with a slash are relative to each of the folders, and to the root of the file system. */
  constructor(patterns: readonly string[], folders: readonly string[]) {
    this.#patterns = patterns
    this.#folders = ['/', ...folders].map(comparable)
    this.#mayMatchName = nameFilter(patterns)
    this.#rules = this.#compile()
  }

  /** The pattern that matches an absolute path or one of its folders; `null` if none does. */
  match(path: string): string | null {
    const wanted = comparable(path)
    if (!wanted.split('/').some(this.#mayMatchName)) return null
    for (const folder of this.#folders) {
      const prefix = folder === '/' ? folder : `${folder}/`
      if (!wanted.startsWith(prefix) || wanted === prefix) continue
      // With a slash, patterns for folders match as well: whether it is one can change.
      const { ignored, rule } = this.#test(`${wanted.slice(prefix.length)}/`)
      if (ignored) return rule!.mark!
    }
    return null
  }

  #test(path: string): ReturnType<Ignore['test']> {
    if (++this.#tested > maxTested) {
      this.#rules = this.#compile()
      this.#tested = 0
    }
    return this.#rules.test(path)
  }

  #compile(): Ignore {
    const rules = ignore({ ignorecase: true, allowRelativePaths: true })
    for (const pattern of this.#patterns) rules.add({ pattern: pattern.normalize('NFKC'), mark: pattern })
    return rules
  }
}

/**
 * Whether a path with this name may match, by the last name in each pattern. Testing all patterns on a path takes a hundred times as
 * long, and a search tests every file.
 */
function nameFilter(patterns: readonly string[]): (name: string) => boolean {
  const names = patterns.filter((pattern) => !pattern.startsWith('!')).map(lastNameOf)
  if (names.includes(null)) return () => true
  const literals = new Set(names.filter((name) => !/[*?]/.test(name!)))
  const globs = names.filter((name) => !literals.has(name)) as string[]
  const known = new Map<string, boolean>()
  return (name) => {
    const before = known.get(name)
    if (before !== undefined) return before
    if (known.size >= maxNames) known.clear()
    const mayMatch = literals.has(name) || globs.some((glob) => matchGlob(glob, name))
    known.set(name, mayMatch)
    return mayMatch
  }
}

/** `null` if every name may match. */
function lastNameOf(pattern: string): string | null {
  const name = pattern.normalize('NFKC').toLowerCase().trimEnd().replace(/\/$/, '').split('/').at(-1)!
  return /[[\\]|\*\*|^\uFEFF|^$/.test(name) ? null : name
}

function comparable(path: string): string {
  if (/^[!-~ ]*$/.test(path) && !/[. ](\/|$)/.test(path)) return path.toLowerCase()
  return path.split('/').map(plainName).join('/').toLowerCase()
}

/** The name under which some disks find a file with this one, except for case. */
export function plainName(name: string): string {
  const folded = name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/(?<=[^. ])[. ]+$/, '')
  // A name must remain one name.
  return /^\.{0,2}$|\//.test(folded) ? name : folded
}
