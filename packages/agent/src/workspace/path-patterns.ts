import ignore, { type Ignore } from 'ignore'

/** `ignore` keeps every path that it has tested. */
const maxTested = 20_000

/**
 * Patterns as in `.gitignore`, for names that must not slip through in another form: case, Unicode forms, invisible characters and dots
 * at the end make no difference, because on some disks they lead to the same file.
 */
export class PathPatterns {
  readonly #patterns: readonly string[]
  readonly #folders: readonly string[]
  #rules: Ignore
  #tested = 0

  /** Patterns with a slash are relative to each of the folders, and to the root of the file system. */
  constructor(patterns: readonly string[], folders: readonly string[]) {
    this.#patterns = patterns
    this.#folders = ['/', ...folders].map(comparable)
    this.#rules = this.#compile()
  }

  /** The pattern that matches an absolute path or one of its folders; `null` if none does. */
  match(path: string): string | null {
    const wanted = comparable(path)
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

function comparable(path: string): string {
  return path.split('/').map(comparableName).join('/')
}

function comparableName(name: string): string {
  const folded = name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
    .replace(/(?<=[^. ])[. ]+$/, '')
  // A name must remain one name.
  return /^\.{0,2}$|\//.test(folded) ? name : folded
}
