/** A regular expression, parsed. Only what ripgrep and JavaScript can both express. */
export type PatternNode =
  | { readonly type: 'character'; readonly code: number }
  | { readonly type: 'any' | 'line-start' | 'line-end' | 'boundary' }
  | PatternSet
  | { readonly type: 'class'; readonly negated: boolean; readonly items: readonly ClassItem[] }
  | { readonly type: 'sequence' | 'alternatives'; readonly nodes: readonly PatternNode[] }
  | {
      readonly type: 'repeat'
      readonly node: PatternNode
      readonly min: number
      /** `null`: no limit. */
      readonly max: number | null
    }

/** `\d`, `\w`, `\s`, `\p{...}`, `[:alpha:]` and their negations. */
export type PatternSet =
  | { readonly type: 'digit' | 'word' | 'space'; readonly negated: boolean }
  | { readonly type: 'property'; readonly name: string; readonly negated: boolean }
  | { readonly type: 'posix'; readonly name: PosixName; readonly negated: boolean }

export type ClassItem = { readonly type: 'range'; readonly low: number; readonly high: number } | PatternSet

/** As the inside of a class, for ASCII characters only. */
export const posixClasses = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\\x00-\\x7f',
  blank: '\\t ',
  cntrl: '\\x00-\\x1f\\x7f',
  digit: '0-9',
  graph: '\\x21-\\x7e',
  lower: 'a-z',
  print: '\\x20-\\x7e',
  punct: '\\x21-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7e',
  space: '\\t\\n\\v\\f\\r ',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
} as const

export type PosixName = keyof typeof posixClasses
