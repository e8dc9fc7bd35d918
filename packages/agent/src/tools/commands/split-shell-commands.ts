import type { ShellCommand } from '@curfew/core/internal'

/**
 * The simple commands of a command line, as sh and bash read it, so that each can be compared with rules. `null` if it does more than
 * run them one after the other or in a pipe: redirections to files, substitutions, functions, subshells, and whatever the two shells may
 * read differently.
 */
export function splitShellCommands(line: string): readonly ShellCommand[] | null {
  if (unusual.test(line)) return null
  const commands: (string | null)[][] = []
  let words: (string | null)[] = []
  for (let rest = line; rest !== ''; ) {
    const [gap] =
      /^(?:[ \t]|[012]?>&[012](?=[\s;|&]|$)|[12]?>[ \t]*\/dev\/null(?=[\s;|&]|$))+/.exec(rest) ?? []
    const [separator] = /^[;|&\n]/.exec(rest) ?? []
    if (gap !== undefined) rest = rest.slice(gap.length)
    else if (separator !== undefined) {
      commands.push(words)
      words = []
      rest = rest.slice(1)
    } else {
      const word = readWord(rest)
      // The program itself must be known.
      if (word === null || (word.value === null && words.length === 0)) return null
      words.push(word.value)
      rest = rest.slice(word.length)
    }
  }
  const found = [...commands, words].filter(({ length }) => length > 0)
  return found.length === 0 || found.some(mayEvaluate) ? null : found
}

/** Builtins of bash that evaluate subscripts in names and numbers, also in quoted words: `test -v 'a[$(x)]'` runs x. */
const evaluating = new Set(
  'declare export getopts let local mapfile printf read readarray readonly test typeset unset wait'.split(
    ' ',
  ),
)

function mayEvaluate([program, ...words]: ShellCommand): boolean {
  return evaluating.has(program!) && words.some((word) => word === null || /[$`]/.test(word))
}

/** Other spaces and control characters, which depend on the locale. */
const unusual = /[^\P{C}\n\t]|[^\P{Z} ]/u

interface Word {
  /** `null` if only the shell knows it. */
  readonly value: string | null
  /** Of its source. */
  readonly length: number
}

/** A part of a word: quoted, escaped, a variable, or plain. What matches none of them ends the word, or cannot be read. */
const parts =
  /'(?<single>[^']*)'|"(?<double>(?:[^"\\$`]|\\[^\n])*)"|\\(?<escaped>[^\n])|(?<expands>\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\}|[0-9@*#?$!-])|"(?:[^"\\$`]|\\[^\n]|\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\}|[0-9@*#?$!-]))*"|[*?[\]{}~]+)|(?<plain>[^\s'"\\$`*?[\]{}~;|&<>()]+)/y

/** Reads the word at the beginning. `null` if it cannot be read. */
function readWord(text: string): Word | null {
  // What follows is a comment, in which quotes mean nothing.
  if (text.startsWith('#')) return null
  let value: string | null = ''
  let at = 0
  for (;;) {
    parts.lastIndex = at
    const match = parts.exec(text)
    if (match === null) break
    at = parts.lastIndex
    const { single, double, escaped, expands, plain } = match.groups!
    const part = single ?? double?.replace(/\\([\\$`"])/g, '$1') ?? escaped ?? plain
    value = value === null || expands !== undefined ? null : value + part
  }
  return at > 0 && /^(?:[\s;|&]|$)/.test(text.slice(at, at + 1)) ? { value, length: at } : null
}
