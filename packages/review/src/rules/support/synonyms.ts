/** Verbs that a model cannot tell apart with the same object; the first of each line represents the others. */
const verbs: ReadonlyMap<string, string> = new Map(
  [
    'get fetch retrieve obtain',
    'delete remove erase',
    'find search lookup',
    'create add make',
    'update modify edit change',
    'list enumerate',
    'run execute',
    'show view display',
  ].flatMap((line) => {
    const words = line.split(' ')
    return words.map((word) => [word, words[0]!] as const)
  }),
)
/** Nouns that do not distinguish a name when they are at its end. */
const fillerNouns: ReadonlySet<string> = new Set(['info', 'information', 'data', 'details', 'detail'])

/** Equal for `get_user_info` and `fetch_user_details`; not for `get_user`, which may return something else. */
export function canonicalWords(words: readonly string[]): readonly string[] {
  if (words.length < 2) return words
  // The server's name may come first: `github_get_user`.
  const verbAt = words.findIndex((word) => verbs.has(word))
  return words.map((word, index) => {
    if (index === verbAt) return verbs.get(word)!
    return index === words.length - 1 && fillerNouns.has(word) ? 'info' : word
  })
}
