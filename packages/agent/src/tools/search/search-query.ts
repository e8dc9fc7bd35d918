import type { LineQuery } from './line-matcher.ts'
import { checkPatternText, parseSearchPattern } from './parse-search-pattern.ts'
import { requiredStrings } from './required-strings.ts'
import { simplifyPattern } from './simplify-pattern.ts'
import { toJavaScriptPattern, toRustPattern } from './write-search-pattern.ts'

/** A pattern, for both ways to search. */
export interface SearchQuery {
  /** For ripgrep. */
  readonly rust: string
  readonly ignoresCase: boolean
  /** For our own search. */
  readonly lines: LineQuery
}

/** Throws `INVALID_PARAMS` if the pattern is not valid. */
export function searchQuery(pattern: string, literal: boolean, ignoreCase: boolean): SearchQuery {
  if (literal) {
    checkPatternText(pattern)
    const escaped = [...pattern].map((character) => `\\u{${character.codePointAt(0)!.toString(16)}}`).join('')
    const lines = { plain: escaped, full: escaped, required: null, literal: ignoreCase ? null : pattern }
    return { rust: pattern, ignoresCase: ignoreCase, lines: { ...lines, flags: flagsOf(ignoreCase) } }
  }
  const { node: written, ignoresCase: hasFlag } = parseSearchPattern(pattern)
  const node = simplifyPattern(written)
  const ignoresCase = ignoreCase || hasFlag
  return {
    rust: toRustPattern(node),
    ignoresCase,
    lines: {
      literal: null,
      required: ignoresCase ? null : requiredStrings(node),
      plain: toJavaScriptPattern(node, 'plain'),
      full: toJavaScriptPattern(node, 'full'),
      flags: flagsOf(ignoresCase),
    },
  }
}

function flagsOf(ignoresCase: boolean): string {
  return ignoresCase ? 'gimv' : 'gmv'
}
