import { expandBraces } from './expand-braces.ts'
import { compileName, type NameTest } from './glob-name.ts'
import { compileGlob, matchPath, type PathGlob } from './path-glob.ts'

/** What the rules of a file say of a path; `null` if none matches. */
export type IgnoreVerdict = 'ignored' | 'included' | null

interface Rule {
  readonly verdict: 'ignored' | 'included'
  readonly foldersOnly: boolean
  /** For a pattern without a slash, which matches in all folders. */
  readonly names: readonly NameTest[]
  /** For others, relative to the folder of the file. */
  readonly globs: readonly PathGlob[]
}

/** The rules of one `.gitignore` or similar file, with ripgrep's interpretation of them. */
export class IgnoreFileRules {
  /** The last one first, because it wins. */
  readonly #rules: readonly Rule[]
  readonly #needPath: boolean

  /** The text and the paths contain one character per byte (`latin1`), because names need not be UTF-8. */
  constructor(text: string) {
    this.#rules = text
      .replace(/^\xef\xbb\xbf/, '')
      .split(/\r?\n/)
      .flatMap(parseLine)
      .reverse()
    this.#needPath = this.#rules.some(({ globs }) => globs.length > 0)
  }

  /** `path` is relative to the folder of the file. */
  match(path: () => string, name: string, isFolder: boolean): IgnoreVerdict {
    const names = this.#needPath ? path().split('/') : []
    for (const rule of this.#rules) {
      if (rule.foldersOnly && !isFolder) continue
      if (rule.names.some((test) => test(name)) || rule.globs.some((glob) => matchPath(glob, names, true)))
        return rule.verdict
    }
    return null
  }
}

function parseLine(line: string): Rule[] {
  if (line.startsWith('#')) return []
  let pattern = /\\ $/.test(line) ? line : line.trimEnd()
  const isIncluded = pattern.startsWith('!')
  if (isIncluded) pattern = pattern.slice(1)
  else if (/^\\[!#]/.test(pattern)) pattern = pattern.slice(1)
  const isAnchored = pattern.startsWith('/')
  if (isAnchored) pattern = pattern.slice(1)
  const foldersOnly = pattern.endsWith('/')
  if (foldersOnly) pattern = pattern.replace(/\\?\/$/, '').replace(/^\*\*\/$/, '**')
  // For ripgrep, this matches everything.
  if (pattern === '' && isIncluded && !isAnchored && !foldersOnly)
    return [{ verdict: 'included', foldersOnly, names: [() => true], globs: [] }]
  // Ripgrep skips a pattern that ends with an escape.
  if (pattern === '' || /(?<!\\)(?:\\\\)*\\$/.test(pattern)) return []
  // An empty name matches nothing.
  if (/^\/|\/\/|\/$/.test(pattern)) return []
  const alternatives = expandBraces(pattern, false)
  if (alternatives === null) return []
  const verdict = isIncluded ? 'included' : 'ignored'
  if (!isAnchored && !pattern.includes('/'))
    return [{ verdict, foldersOnly, names: alternatives.map(compileName), globs: [] }]
  return [{ verdict, foldersOnly, names: [], globs: alternatives.map(compileGlob) }]
}
