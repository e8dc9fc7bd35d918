import type { Verdict } from '../call/verdict.ts'
import { canonicalJson } from '../json/canonical-json.ts'
import type { ShellCommand, Tool } from '../tool/tool.ts'
import { hasWildcard, matchGlob } from './match-glob.ts'

/**
 * Matches a glob against arguments. `deny` and `ask` consider every argument, because matching too much is safe there. For `allow`, a glob
 * that begins with `{` is compared with all arguments as JSON, and any other with the main argument (the first one in the schema), and only if the
 * schema declares all arguments: a value that looks like the JSON of an allowed call is another call. A wildcard never matches a path
 * with `..`. If the tool runs a shell, a wildcard matches words of one simple command, never what separates commands.
 */
export class ArgumentMatcher {
  readonly #tool: Tool
  readonly #params: Record<string, unknown>
  readonly #main: unknown
  #json: string | null = null
  #commands: readonly ShellCommand[] | null | undefined

  constructor(tool: Tool, params: unknown) {
    const { parameterNames } = tool
    const [first] = parameterNames
    this.#tool = tool
    this.#params = Object(params)
    const known = Object.keys(this.#params).every((key) => parameterNames.includes(key))
    this.#main = known && first !== undefined ? this.#params[first] : undefined
  }

  /** `alternatives`: the globs of all rules, including this one, that together may allow the commands of a shell. */
  match(glob: string, verdict: Verdict, alternatives: () => readonly string[] = () => [glob]): boolean {
    if (verdict !== 'allow') {
      return (
        matchGlob(glob, this.#asJson()) ||
        Object.values(this.#params).some((value) => matchesAnyPart(glob, value))
      )
    }
    if (glob === '*') return true
    const runsShell = this.#tool.shellCommands !== undefined
    if (isJsonGlob(glob)) {
      return matchGlob(glob, this.#asJson()) && (!hasWildcard(glob) || (!runsShell && !this.#hasParentPath()))
    }
    if (runsShell) return this.#allowsShell(glob, alternatives)
    return matchesWhole(glob, this.#main) && (!hasWildcard(glob) || !this.#hasParentPath())
  }

  #allowsShell(glob: string, alternatives: () => readonly string[]): boolean {
    // A wildcard in a whole command line would also match `; rm -rf x`.
    if (!hasWildcard(glob) && matchesWhole(glob, this.#main)) return true
    const commands = this.#shellCommands()
    if (commands === null || !commands.some((words) => matchesWords(glob, words))) return false
    if (commands.some((words) => words.some(mayLeaveFolder))) return false
    return commands.every((words) =>
      alternatives().some((other) => !isJsonGlob(other) && matchesWords(other, words)),
    )
  }

  #shellCommands(): readonly ShellCommand[] | null {
    this.#commands ??= this.#main === undefined ? null : this.#tool.shellCommands!(this.#params as never)
    return this.#commands
  }

  #hasParentPath(): boolean {
    return Object.values(this.#params).some(hasParentPath)
  }

  #asJson(): string {
    this.#json ??= canonicalJson(this.#params)
    return this.#json
  }
}

/** For an `allow` rule: whether a glob is meant for all arguments as JSON. */
export function isJsonGlob(glob: string): boolean {
  return glob.startsWith('{')
}

/** Matches a whole string, or a list word by word, where a final `*` matches all remaining words. */
function matchesWhole(glob: string, value: unknown): boolean {
  if (typeof value === 'string') return matchGlob(glob, value)
  return isStringList(value) && matchesWords(glob, value)
}

/** A word that is not known matches only a final `*`. */
function matchesWords(glob: string, value: ShellCommand): boolean {
  const words = glob.split(/(?<!\\) /)
  const open = words.at(-1) === '*'
  if (open) words.pop()
  if (open ? value.length < words.length : value.length !== words.length) return false
  return words.every((word, index) => value[index] !== null && matchGlob(word, value[index]!))
}

/**
 * Whether a glob could apply to any part of a value. A string may be a command that runs another one (`timeout 5 rm x`,
 * `sh -c "cd y; rm x"`, `/bin/rm x`), so the glob may also match from any word on.
 */
function matchesAnyPart(glob: string, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return matchesAnyWord(glob, String(value))
  const inside: unknown[] = Object.values(value)
  if (inside.some((item) => matchesAnyPart(glob, item))) return true
  return Array.isArray(value) && matchesAnyWord(glob, inside.flat(maxListDepth).join(' '))
}

const maxListDepth = 8

function matchesAnyWord(glob: string, text: string): boolean {
  if (matchGlob(glob, text)) return true
  // A quick check: most strings do not contain the first letters of the glob.
  const [prefix] = /^[^*?\\\s;|&()<>`'"$/]*/.exec(glob)!
  if (!text.includes(prefix)) return false
  const words = text.split(/[\s;|&()<>`'"$]+/).filter(Boolean)
  // `/bin/rm`, and `\rm`, which bypasses a shell alias.
  const programs = words.map((word) => word.replace(/^.*[/\\]/, ''))
  return [words, programs].some((list) => {
    const joined = list.join(' ')
    // With a trailing space, `rm *` also matches an `rm` that gets its arguments from elsewhere, such as xargs.
    return [joined, `${joined} `].some((line) => matchGlob(glob, line) || matchGlob(`* ${glob}`, line))
  })
}

/** `src/*` must not match `src/../../etc/passwd`. */
function hasParentPath(value: unknown): boolean {
  if (typeof value === 'string') return /(^|[/\\])\.\.([/\\]|$)/.test(value)
  return typeof value === 'object' && value !== null && Object.values(value).some(hasParentPath)
}

/** The same for a word of a shell command, which may be an option such as `--file=../x`. */
function mayLeaveFolder(word: string | null): boolean {
  return word !== null && /(^|[/\\=:,@])\.\.([/\\:,]|$)/.test(word)
}

function isStringList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}
