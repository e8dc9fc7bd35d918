import { CurfewError } from '@curfew/core'
import { attempt, messageOf } from '@curfew/core/internal'

export interface SearchQuery {
  /** In the syntax of ripgrep, or a string if `isLiteral`. */
  readonly pattern: string
  readonly isLiteral: boolean
  readonly ignoresCase: boolean
}

/** Throws `INVALID_PARAMS` for a pattern that no line contains. */
export function searchQuery(pattern: string, isLiteral: boolean, ignoresCase: boolean): SearchQuery {
  if (/[\n\r]/.test(pattern))
    throw invalidPattern('expected a pattern for one line, got a line break; search for one of the lines')
  if (pattern.includes('\0'))
    throw invalidPattern('expected text, got a NUL character; binary files are not searched')
  if (!pattern.isWellFormed()) throw invalidPattern('expected text, got half of a surrogate pair')
  return { pattern: isLiteral ? pattern : escapeBraces(pattern), isLiteral, ignoresCase }
}

/** Syntax that ripgrep rejects or JavaScript reads in another way: look-around, most escapes, line breaks, and empty, nested or combined classes. */
const notShared =
  /\\(?![dDwWsSbfvtnr]|x[\dA-Fa-f]{2}|u[\dA-Fa-f]{4})[\w<>]|\\b\{|\(\?<?[=!]|(?<!\[[^\]]*)\\[nr]|\[\^?(?:\]|[^\]]*?(?:\[|&&|--|~~))/

/**
 * For one line, when ripgrep is not used. Throws `INVALID_PARAMS` for a pattern that would not find the same; only `\w`, `\d` and `\b` may
 * differ, which know no more than ASCII here.
 */
export function lineExpression(query: SearchQuery, whyNoRipgrep: string): RegExp {
  const source = query.isLiteral
    ? query.pattern.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
    : query.pattern.replace(/^\(\?i\)/, '')
  const [unsupported] = notShared.exec(source.replace(/\\[^\w<>]/g, '  ')) ?? []
  if (unsupported !== undefined)
    throw invalidPattern(
      `${JSON.stringify(unsupported)} cannot be searched for without ripgrep; ${whyNoRipgrep}`,
    )
  const flags = query.ignoresCase || source.length < query.pattern.length ? 'is' : 's'
  const expression = attempt(() => new RegExp(source, `${flags}u`), null)
  if (expression !== null) return expression
  try {
    // With fewer rules, such as those about escapes.
    return new RegExp(source, flags)
  } catch (error) {
    const problem = messageOf(error).split(': ').at(-1)
    throw invalidPattern(
      `expected a regular expression, got an error without ripgrep: ${problem}; ${whyNoRipgrep}`,
    )
  }
}

export function invalidPattern(problem: string): CurfewError {
  return new CurfewError(
    'INVALID_PARAMS',
    `pattern: ${problem}; or pass literal: true to search for the pattern as it is`,
    { field: 'pattern', hadNoEffect: true },
  )
}

/** Code is full of braces that are not repetitions, which ripgrep rejects. */
function escapeBraces(pattern: string): string {
  const escapesAndBraces = /\\(?:[pPxub]\{[^}]*\}|.)|\{\d+(?:,\d*)?\}|([{}])/gsu
  return pattern.replace(escapesAndBraces, (text, brace?: string) =>
    brace === undefined ? text : `\\${brace}`,
  )
}
