import type { ReviewedTool } from '../review-types.ts'

/** Names are 128 characters at most; more of one is not looked at. */
const longestName = 256

export type NameStyle = 'snake' | 'kebab' | 'camel'

/** The name without what an adapter put before it: the author cannot change `mcp__server__`, `script_` and `api_`. */
export function ownName(tool: Pick<ReviewedTool, 'name' | 'own'>): { prefix: string; local: string } {
  const name = tool.name.slice(0, longestName)
  const adapter = tool.own?.adapter
  const prefix =
    /^mcp__[^_]+(?:_[^_]+)*__(?=.)/.exec(name)?.[0] ??
    (adapter === 'script' || adapter === 'api' ? /^(?:script|api)_(?=.)/.exec(name)?.[0] : undefined) ??
    ''
  return { prefix, local: name.slice(prefix.length) }
}

/** The same few names are asked for again and again. */
const known = new Map<string, readonly string[]>()
const mostKnown = 5_000

/** `getFileInfo`, `get_file-info` and `get.file/info`: get, file, info. */
export function nameWords(name: string): readonly string[] {
  const short = name.slice(0, longestName)
  let words = known.get(short)
  if (words === undefined) {
    words = splitWords(short)
    if (known.size >= mostKnown) known.clear()
    known.set(short, words)
  }
  return words
}

/** The same for any text. */
export function splitWords(name: string): string[] {
  return name
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}

export function styleOf(name: string): NameStyle | undefined {
  if (name.includes('_')) return 'snake'
  if (name.includes('-')) return 'kebab'
  return /\p{Ll}\p{Lu}/u.test(name) ? 'camel' : undefined
}

export function joinWords(words: readonly string[], style: NameStyle): string {
  if (style !== 'camel') return words.join(style === 'kebab' ? '-' : '_')
  return words.map((word, index) => (index === 0 ? word : capitalise(word))).join('')
}

export function capitalise(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1)
}
