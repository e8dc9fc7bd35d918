import type { ReviewedTool } from '../review-types.ts'

/** MCP allows 128 characters; the rest of a longer name is ignored. */
const maxNameLength = 256

/** Separates the prefix of an adapter (`mcp__server__`, `script_`, `api_`), which the author cannot change, from the name. */
export function splitName(tool: Pick<ReviewedTool, 'name' | 'curfew'>): { prefix: string; local: string } {
  const name = tool.name.slice(0, maxNameLength)
  const adapter = tool.curfew?.adapter
  const prefix =
    /^mcp__[^_]+(?:_[^_]+)*__(?=.)/.exec(name)?.[0] ??
    (adapter === 'script' || adapter === 'api' ? /^(?:script|api)_(?=.)/.exec(name)?.[0] : undefined) ??
    ''
  return { prefix, local: name.slice(prefix.length) }
}

/** The same names are looked up by many rules. */
const cache = new Map<string, readonly string[]>()
const maxCached = 5_000

/** Splits `getFileInfo`, `get_file-info` and `get.file/info` into get, file, info. */
export function nameWords(name: string): readonly string[] {
  const short = name.slice(0, maxNameLength)
  let words = cache.get(short)
  if (words === undefined) {
    words = splitWords(short)
    if (cache.size >= maxCached) cache.clear()
    cache.set(short, words)
  }
  return words
}

function splitWords(name: string): string[] {
  return name
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}

/** Whether a name consists of several words: `get_user`, `get-user`, `getUser`. */
export function isCompoundName(name: string): boolean {
  return /[_-]|\p{Ll}\p{Lu}/u.test(name)
}

export function capitalise(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1)
}
